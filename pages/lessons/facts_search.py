"""Facts of Search: what each search found and proved, what a perceptron moved, what SEARN learned."""

from pages.lessons.facts import fact
from pages.search.runs import payload_of


def _view(name):
    return fact(f"view.{name}", "search")


def _method(name):
    return fact(f"method.{name}", "search")


def _shown(view, tab):
    if view.tab != tab:
        raise ValueError(f"this is told on the tab {tab}, view={tab}")
    return payload_of(view)


def _run(view, who):
    runs = {run["method"]: run for run in _shown(view, "search")["runs"]}
    if who not in runs:
        raise ValueError(f"there is no search {who!r} here; there are {', '.join(runs)}")
    return runs[who]


@_view("gold")
def gold(view, who):
    """What was written."""
    shown = _shown(view, "search")
    return shown["glue"].join(shown["labels"][label] for label in shown["gold"])


@_view("best_score")
def best_score(view, who):
    """The score of the best answer there is, in nats."""
    return _shown(view, "search")["best"]["score"]


@_method("answer")
def answer(view, who):
    """What a search answered; none where it came to no answer."""
    answers, shown = _run(view, who)["answers"], _shown(view, "search")
    return shown["glue"].join(shown["labels"][label] for label in answers[0]["labels"]) if answers else None


@_method("score")
def score(view, who):
    """The score of its answer, in nats."""
    answers = _run(view, who)["answers"]
    return answers[0]["score"] if answers else None


@_method("expansions")
def expansions(view, who):
    """How many hypotheses it took until it answered."""
    answers = _run(view, who)["answers"]
    return answers[0]["pop"] if answers else None


@_method("proof")
def proof(view, who):
    """The number of the expansion that proved its answer; none where nothing is proved."""
    return _run(view, who)["proof"]


@_method("lost")
def lost(view, who):
    """How many hypotheses it lost for good."""
    return sum(_run(view, who)["lost"])


@_method("queue")
def queue(view, who, expansion):
    """How many hypotheses wait after an expansion."""
    return _run(view, who)["queue"][expansion - 1]


@_method("bound")
def bound(view, who, expansion):
    """What no answer to come can be above, after an expansion."""
    return _run(view, who)["bound"][expansion - 1]


@_method("best_within")
def best_within(view, who):
    """The fewest expansions with which it finds the best answer, over all its budgets; none if none of them does."""
    (points,) = [lane["points"] for lane in _shown(view, "search")["race"] if lane["method"] == who]
    best = best_score(view, "view")
    return min((pops for pops, score in points if score >= best - 1e-6), default=None)


@_view("updates")
def updates(view, who):
    """How many updates of the perceptron are shown."""
    return len(_shown(view, "perceptron")["updates"])


def _update(view, number):
    return _shown(view, "perceptron")["updates"][number - 1]


def _spelled(view, labels):
    shown = _shown(view, "perceptron")
    return shown["glue"].join(shown["labels"][label] for label in labels)


@_view("word")
def word(view, who, update):
    """The word of an update."""
    return _spelled(view, _update(view, update)["gold"])


@_view("found")
def found(view, who, update):
    """What the perceptron read before an update."""
    return _spelled(view, _update(view, update)["found"])


@_view("fell")
def fell(view, who, update):
    """The position at which the beam lost the right path in an update; none where it did not."""
    return _update(view, update)["fell"]


@_view("first_to_lose")
def first_to_lose(view, who):
    """The first update in which the beam lost the right path."""
    return next((k for k in range(1, updates(view, who) + 1) if fell(view, who, k)), None)


@_view("cut")
def cut(view, who, update, rule):
    """Up to which position a rule compares in an update."""
    return _update(view, update)["steps"][rule]["cut"]


@_method("learned")
def learned(view, who):
    """The share of the letters held out that are right in the end: of a rule, of ``crf``, of ``searn`` or ``gold``."""
    return _curve(view, "perceptron" if view.tab == "perceptron" else "searn", who)[-1][1]


def _curve(view, tab, who):
    lanes = _shown(view, tab)["curves" if tab == "perceptron" else "progress"]
    return {lane["method"]: lane["points"] for lane in lanes}[who]


@_method("wrong_after")
def wrong_after(view, who, errors):
    """Of the letters after so many errors the share that is wrong, of ``searn`` or ``gold``."""
    curves = {one["method"]: one["points"] for one in _shown(view, "searn")["compounding"]}
    return next(wrong / count for before, wrong, count in curves[who] if before == errors)


@_view("oracle")
def oracle(view, who, iteration):
    """The share of the oracle among the policies of an iteration."""
    return dict(map(tuple, _shown(view, "searn")["iterations"][iteration - 1]["mixture"])).get(0, 0.0)


@_view("cost")
def cost(view, who, iteration, position, label):
    """How many labels of the finished word are wrong if a label is taken at a position, in an iteration."""
    shown = _shown(view, "searn")
    row = shown["iterations"][iteration - 1]["costs"][position - 1]
    return row[shown["actions"].index(shown["labels"].index(str(label)))]
