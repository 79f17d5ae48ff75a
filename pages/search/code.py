"""Python source that reproduces a tab of Search in a notebook."""

from pages.search import material
from pages.search.question import MOST_EXAMPLES
from rcmviz.lm.english import split_words
from rcmviz.lm.text import tokens
from rcmviz.tasks.sms.keypad import KEYS, word_keys

READER, LM = "handwriting-pen", "lm-english-words"  # of the tab Search
CANDIDATES = 30  # candidates per word of a message
GRID, SEED = "16x8", 5  # of the tab Perceptron: one weight per pixel
HELD_OUT = 100  # held-out words


def keys_of(text):
    """Return the keys of each word of a text, whose words may be letters.

    >>> keys_of("843 dog")
    ['843', '364']
    """
    found = []
    for word in tokens(text):
        parts = [word] if set(word) <= set(KEYS) else split_words(word)
        found += [part if set(part) <= set(KEYS) else word_keys(part) or part for part in parts]
    return found


def search_code(question):
    """Return source that searches one word or message."""
    lines = _message(question) if question.subject == "message" else _word(question)
    lines += [
        f"found = rv.search_best(rv.SequenceSearch(model, scores, bound_order={question.bound}))",
        "print(found.best.steps, found.best.score, found.pops, found.why)",
        f"bounded = rv.search_best(rv.SequenceSearch(model, scores), queue={question.queue})",
        "print(bounded.best.steps, bounded.best.score, bounded.why)",
    ]
    return "\n".join(lines) + "\n"


def _word(question):
    word = question.word.strip().lower()
    return [
        "import rcmviz as rv",
        "from rcmviz.tasks.handwriting.pen import write_word",
        "from rcmviz.tasks.handwriting.problems import word_emissions",
        "",
        f'model = rv.load_model("{READER}")',
        f"scores = word_emissions(model, write_word({word!r}, seed={question.seed}))",
    ]


def _message(question):
    keys = " ".join(keys_of(question.message))
    return [
        "import rcmviz as rv",
        "from rcmviz.tasks.sms.messages import read_digits",
        "",
        f'lm = rv.load_lm("{LM}")',
        f"model, scores = read_digits(lm, {keys!r}, most={CANDIDATES}).hmm(lm), None",
    ]


def perceptron_code(question):
    """Return source of a perceptron on the same words, with one update explained."""
    lines = [
        "import rcmviz as rv",
        "from rcmviz.tasks.handwriting.letter_data import word_sequences",
        "from rcmviz.tasks.handwriting.pen import pen_words",
        "",
        f'data = word_sequences(pen_words({question.words + HELD_OUT}, seed={SEED})[:{question.words}], "{GRID}")',
        f'settings = rv.Training("beam", order=1, budget={question.beam}, epochs={question.epochs},',
        f'                       seed={question.shuffle}, objective="perceptron", update="early")',
        "trainer = rv.Trainer(data, settings)",
        "trainer.advance(20)",
        "found = rv.explain_update(trainer.model(), data.take(trainer.upcoming(1)), settings, (0.0, 1.0))",
        "print(found.gold, found.predicted, found.lost_at)",
        "print({rule: (step.cut, step.predicted) for rule, step in found.steps.items()})",
    ]
    return "\n".join(lines) + "\n"


def searn_code(question):
    """Return source of SEARN on the same words or sentences."""
    lines = _training_sentences(question) if question.material == "sentence" else _training_words(question)
    lines += [
        f"searn = rv.SearchClassifier(order={question.order}, iterations={question.iterations},",
        f"                            beta={question.beta:g}).fit(X, y)",
        "print(searn.predict(X[:1]), searn.compounding(X, y).rate)",
        "print(searn.explain(X[0], y[0], 1).cost)",
    ]
    return "\n".join(lines) + "\n"


def _training_words(question):
    return [
        "import rcmviz as rv",
        "from rcmviz.tasks.handwriting.letter_data import features",
        "from rcmviz.tasks.handwriting.pen import pen_words",
        "",
        f"words = pen_words({question.learnt + MOST_EXAMPLES}, seed={material.SEED})[{MOST_EXAMPLES}:]",
        f'X, y = [features(word.images, "{material.GRID}") for word in words], [list(word.letters) for word in words]',
    ]


def _training_sentences(question):
    last = question.sentences + MOST_EXAMPLES
    return [
        "import rcmviz as rv",
        "from rcmviz.tasks.tagging.sentences import tagged_sentences",
        "",
        f"drawn = [one for one in tagged_sentences({2 * last}, {material.SEED}) "
        f"if {material.SHORTEST} <= len(one) <= {material.LONGEST}]",
        f"learnt = drawn[{MOST_EXAMPLES}:{last}]",
        "X = [[[word] for word, _ in one] for one in learnt]  # a policy sees the word, and its own tags before it",
        "y = [[tag for _, tag in one] for one in learnt]",
    ]
