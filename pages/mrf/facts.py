"""Facts of Field: the ring and its bounds, words for a blank, neighbours of a word."""

CURVES = {"lifting": {"log Z per token"}, "learning": {"log-likelihood per token"}}
SLIDERS = {"lifting": {"from the ring to the star", "state"}, "learning": {"state"}, "tagging": {"word"}}
LISTED = 10  # words of a list


def points(question, view_state, payload):
    """Return the charts and sliders of the tab; tokens of a ring, words for a blank, neighbours of a word."""
    found = {"curve": [CURVES.get(question.tab, set())], "slider": [SLIDERS.get(question.tab, set())]}
    read = {"lifting": _lifting_points, "blank": _blank_points, "neighbours": _neighbours_points}.get(question.tab)
    return found | read(payload(), view_state) if read else found


def _lifting_points(payload, view_state):
    return {"row": [set(payload["words"])], "arc": [{str(i) for i in range(1, len(payload["ring"]) + 1)}]}


def _blank_points(payload, view_state):
    rows = [{word for word, _ in _ranked(payload)[:LISTED]}]
    if payload["following"]:
        rows.append({word for word, _ in payload["following"]["words"][:LISTED]})
    return {"row": rows, "word": [{slot["word"] for slot in payload["slots"] if slot["word"]}]}


def _neighbours_points(payload, view_state):
    chosen = payload["words"].index(view_state.get("word") or payload["first"])
    near = [{payload["words"][w] for w in found["near"][chosen]} for found in payload["maps"]]
    return {"row": [set().union(*near)], "word": [set(payload["words"])]}


def _shown(payload, tab):
    if payload["kind"] != tab:
        raise ValueError(f"this is a fact of the tab {tab}, view={tab}")
    return payload


def _bounds(payload):
    return [step["bound"] for step in _shown(payload, "lifting")["steps"]]


def tokens(payload):
    """The number of tokens of the ring, with separators."""
    return len(_shown(payload, "lifting")["ring"])


def words(payload):
    """The number of different tokens."""
    return len(_shown(payload, "lifting")["words"])


def edges(payload):
    """The number of edges of the ring."""
    return tokens(payload) * payload["order"]


def steps(payload):
    """The number of steps of the optimization of the bound."""
    return len(_bounds(payload))


def bound(payload, step=None):
    """The star bound on log Z per token after a step of its optimization; by default after the last one."""
    return _bounds(payload)[-1 if step is None else step - 1]


def chain(payload):
    """The chain bound on log Z per token."""
    return _shown(payload, "lifting")["chain"]


def chain_is(payload):
    """``exact`` if the chain bound equals log Z to six digits, else ``close``."""
    shown = _shown(payload, "lifting")
    return "exact" if abs(shown["chain"] - shown["exact"]) < 1e-6 else "close"


def exact(payload):
    """The exact log Z per token of the ring, in nats."""
    return _shown(payload, "lifting")["exact"]


def fill(payload, rank=1):
    """The word of a rank for the blank, the most probable first."""
    return _ranked(payload)[rank - 1][0]


def p(payload, word):
    """The probability of a word in the blank, given the words on both sides."""
    return dict(_ranked(payload)).get(str(word), 0.0)


def p_left(payload, word):
    """The probability of a word in the blank under a trigram, which sees only the words before."""
    return dict(_shown(payload, "blank")["following"]["words"]).get(str(word), 0.0)


def fill_left(payload, rank=1):
    """The word of a rank for the blank, under that trigram."""
    return _shown(payload, "blank")["following"]["words"][rank - 1][0]


def edge(payload, word, slot):
    """The score of a word in the blank with one neighbour, in nats; neighbours are numbered from 1, left to right."""
    shown = _shown(payload, "blank")
    return shown["edges"][slot - 1][shown["words"].index(str(word))]


def _ranked(payload):
    shown = _shown(payload, "blank")
    return sorted(zip(shown["words"], shown["p"], strict=True), key=lambda pair: -pair[1])


def neighbour(payload, word, rank=1):
    """The word of a rank among the ten with the most similar directions of their vectors."""
    shown = _shown(payload, "neighbours")
    near = shown["maps"][0]["near"][shown["words"].index(str(word))]
    return shown["words"][near[rank - 1]]
