"""Facts of Search: what each search found and proved, what a perceptron moved, what SEARN learned."""

CURVES = {
    "search": {"best answer so far"},
    "perceptron": {"letters right, held out"},
    "searn": {
        "letters wrong, by the errors before",
        "letters right, held out",
        "tags wrong, by the errors before",
        "tags right, held out",
    },
}
SLIDERS = {"search": {"expansion"}, "perceptron": {"update", "temperature"}, "searn": {"letter", "tag"}}


def points(question, view_state, payload):
    """The charts and sliders of the tab; hypotheses of a search, labels and iterations of SEARN."""
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
    """The hypotheses that the chosen search has made by the chosen step, as they are spelled."""
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
    """What was written."""
    shown = _shown(payload, "search")
    return shown["glue"].join(shown["labels"][label] for label in shown["gold"])


def best_score(payload):
    """The score of the best answer there is, in nats."""
    return _shown(payload, "search")["best"]["score"]


def answer(payload, method):
    """What a search answered; none where it came to no answer."""
    answers, shown = _run(payload, method)["answers"], _shown(payload, "search")
    return shown["glue"].join(shown["labels"][label] for label in answers[0]["labels"]) if answers else None


def score(payload, method):
    """The score of its answer, in nats."""
    answers = _run(payload, method)["answers"]
    return answers[0]["score"] if answers else None


def expansions(payload, method):
    """How many hypotheses it took until it answered."""
    answers = _run(payload, method)["answers"]
    return answers[0]["pop"] if answers else None


def proof(payload, method):
    """The number of the expansion that proved its answer; none where nothing is proved."""
    return _run(payload, method)["proof"]


def lost(payload, method):
    """How many hypotheses it lost for good."""
    return sum(_run(payload, method)["lost"])


def queue(payload, method, expansion):
    """How many hypotheses wait after an expansion."""
    return _run(payload, method)["queue"][expansion - 1]


def bound(payload, method, expansion):
    """What no answer to come can be above, after an expansion."""
    return _run(payload, method)["bound"][expansion - 1]


def best_within(payload, method):
    """The fewest expansions with which it finds the best answer, over all its budgets; none if none of them does."""
    (points,) = [lane["points"] for lane in _shown(payload, "search")["race"] if lane["method"] == method]
    best = best_score(payload)
    return min((pops for pops, score in points if score >= best - 1e-6), default=None)


def updates(payload):
    """How many updates of the perceptron are shown."""
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
    """What the perceptron read before an update."""
    return _spelled(payload, _update(payload, update)["found"])


def fell(payload, update):
    """The position at which the beam lost the right path in an update; none where it did not."""
    return _update(payload, update)["fell"]


def first_to_lose(payload):
    """The first update in which the beam lost the right path."""
    return next((k for k in range(1, updates(payload) + 1) if fell(payload, k)), None)


def cut(payload, update, rule):
    """Up to which position a rule compares in an update."""
    return _update(payload, update)["steps"][rule]["cut"]


def learned(payload, method):
    """The share of the letters held out that are right in the end: of a rule, of ``crf``, of ``searn`` or ``gold``."""
    return _curve(payload, "perceptron" if payload["kind"] == "perceptron" else "searn", method)[-1][1]


def _curve(payload, tab, method):
    lanes = _shown(payload, tab)["curves" if tab == "perceptron" else "progress"]
    return {lane["method"]: lane["points"] for lane in lanes}[method]


def wrong_after(payload, method, errors):
    """Of the letters after so many errors the share that is wrong, of ``searn`` or ``gold``."""
    curves = {one["method"]: one["points"] for one in _shown(payload, "searn")["compounding"]}
    return next(wrong / count for before, wrong, count in curves[method] if before == errors)


def oracle(payload, iteration):
    """The share of the oracle among the policies of an iteration."""
    return dict(map(tuple, _shown(payload, "searn")["iterations"][iteration - 1]["mixture"])).get(0, 0.0)


def cost(payload, iteration, position, label):
    """How many labels of the finished word are wrong if a label is taken at a position, in an iteration."""
    shown = _shown(payload, "searn")
    row = shown["iterations"][iteration - 1]["costs"][position - 1]
    return row[shown["actions"].index(shown["labels"].index(str(label)))]
