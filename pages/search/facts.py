"""Facts of Search: answers and proofs of each search, updates of the perceptron, policies of SEARN."""

CURVES = {
    "search": {"best answer so far"},
    "perceptron": {"letters right, held out"},
    "searn": {
        "letters wrong, by earlier errors",
        "letters right, held out",
        "tags wrong, by earlier errors",
        "tags right, held out",
    },
}
SLIDERS = {"search": {"expansion"}, "perceptron": {"update", "temperature"}, "searn": {"letter", "tag"}}


def points(question, view_state, payload):
    """Return the charts and sliders of the tab; hypotheses of a search, labels and iterations of SEARN."""
    found = {"curve": [CURVES[question.tab]], "slider": [SLIDERS[question.tab]]}
    if question.tab == "search":
        names = [_hypotheses(payload(), view_state)]
        return found | {"node": names, "row": names}
    if question.tab == "searn":
        shown = payload()
        rounds = {f"iteration {k}" for k in range(1, len(shown["iterations"]) + 1)}
        return found | {"row": [{shown["labels"][label] for label in shown["actions"]} | rounds]}
    return found


def _hypotheses(payload, view_state):
    """Return the spelled hypotheses that the chosen search has created by the chosen step."""
    runs = {run["method"]: run for run in payload["runs"]}
    run = runs.get(view_state.get("method"), payload["runs"][0])
    step, spelled = view_state.get("step") or len(run["pops"]), [()]
    nodes = list(zip(run["nodes"]["parent"], run["nodes"]["label"], run["nodes"]["born"], strict=True))
    for parent, label, _ in nodes[1:]:
        spelled.append((*spelled[parent], payload["labels"][label]))
    made = [labels for labels, (_, _, born) in zip(spelled, nodes, strict=True) if born <= step]
    return {payload["glue"].join(labels) or "the start" for labels in made}


def _shown(payload, tab):
    if payload["kind"] != tab:
        raise ValueError(f"this is a fact of the tab {tab}, view={tab}")
    return payload


def _run(payload, method):
    runs = {run["method"]: run for run in _shown(payload, "search")["runs"]}
    if method not in runs:
        raise ValueError(f"there is no search {method!r} here; there are {', '.join(runs)}")
    return runs[method]


def gold(payload):
    """The right text."""
    shown = _shown(payload, "search")
    return shown["glue"].join(shown["labels"][label] for label in shown["gold"])


def best_score(payload):
    """The score of the best possible answer, in nats."""
    return _shown(payload, "search")["best"]["score"]


def answer(payload, method):
    """The answer of a search; none if it found none."""
    answers, shown = _run(payload, method)["answers"], _shown(payload, "search")
    return shown["glue"].join(shown["labels"][label] for label in answers[0]["labels"]) if answers else None


def score(payload, method):
    """The score of its answer, in nats."""
    answers = _run(payload, method)["answers"]
    return answers[0]["score"] if answers else None


def expansions(payload, method):
    """The number of expansions until the answer."""
    answers = _run(payload, method)["answers"]
    return answers[0]["pop"] if answers else None


def proof(payload, method):
    """The number of the expansion that proved the answer; none without a proof."""
    return _run(payload, method)["proof"]


def lost(payload, method):
    """The number of hypotheses lost permanently."""
    return sum(_run(payload, method)["lost"])


def queue(payload, method, expansion):
    """The number of waiting hypotheses after an expansion."""
    return _run(payload, method)["queue"][expansion - 1]


def bound(payload, method, expansion):
    """The upper bound on all later answers after an expansion, in nats."""
    return _run(payload, method)["bound"][expansion - 1]


def best_within(payload, method):
    """The fewest expansions with which it finds the best answer, over all its budgets; none if no budget finds it."""
    (points,) = [lane["points"] for lane in _shown(payload, "search")["race"] if lane["method"] == method]
    best = best_score(payload)
    return min((pops for pops, score in points if score >= best - 1e-6), default=None)


def updates(payload):
    """The number of updates of the perceptron shown."""
    return len(_shown(payload, "perceptron")["updates"])


def _update(payload, number):
    return _shown(payload, "perceptron")["updates"][number - 1]


def _spelled(payload, labels):
    shown = _shown(payload, "perceptron")
    return shown["glue"].join(shown["labels"][label] for label in labels)


def word(payload, update):
    """The word of an update."""
    return _spelled(payload, _update(payload, update)["gold"])


def found(payload, update):
    """The perceptron's output before an update."""
    return _spelled(payload, _update(payload, update)["found"])


def fell(payload, update):
    """The position at which the beam lost the right path in an update; none if it did not."""
    return _update(payload, update)["fell"]


def first_to_lose(payload):
    """The first update in which the beam lost the right path."""
    return next((k for k in range(1, updates(payload) + 1) if fell(payload, k)), None)


def cut(payload, update, rule):
    """The last position that a rule compares in an update."""
    return _update(payload, update)["steps"][rule]["cut"]


def learned(payload, method):
    """The final share of held-out letters read right, by a rule, ``crf``, ``searn`` or ``gold``."""
    return _curve(payload, "perceptron" if payload["kind"] == "perceptron" else "searn", method)[-1][1]


def _curve(payload, tab, method):
    lanes = _shown(payload, tab)["curves" if tab == "perceptron" else "progress"]
    return {lane["method"]: lane["points"] for lane in lanes}[method]


def wrong_after(payload, method, errors):
    """The share of wrong letters after this number of errors, by ``searn`` or ``gold``."""
    curves = {one["method"]: one["points"] for one in _shown(payload, "searn")["compounding"]}
    return next(wrong / count for before, wrong, count in curves[method] if before == errors)


def oracle(payload, iteration):
    """The share of the oracle among the policies of an iteration."""
    return dict(map(tuple, _shown(payload, "searn")["iterations"][iteration - 1]["mixture"])).get(0, 0.0)


def cost(payload, iteration, position, label):
    """The number of wrong labels in the finished word if this label is chosen at a position, in an iteration."""
    shown = _shown(payload, "searn")
    row = shown["iterations"][iteration - 1]["costs"][position - 1]
    return row[shown["actions"].index(shown["labels"].index(str(label)))]
