"""Python source that reproduces a tab of Field in a notebook."""

from pages.mrf.models import SENTENCES, SETTINGS, SHIPPED
from pages.mrf.taggers import SHIPPED as TAGGER
from pages.mrf.texts import HELD_OUT, OWN
from rcmviz.mrf.vocabulary import LONE_BLANK
from rcmviz.views.mrf.lifting import L2, LEARNING


def lifting_code(question):
    """Return source that optimizes the bound of a small text."""
    lines = [
        "from rcmviz.mrf.moments import moments_of",
        "from rcmviz.mrf.reference import ring_log_z",
        "from rcmviz.mrf.tightening import tighten",
        "from rcmviz.mrf.training import FieldTrainer, FieldTraining",
        "from rcmviz.mrf.vocabulary import read_corpus",
        "",
        f"text = {[part.strip() for part in question.text.split('/') if part.strip()]!r}",
        "vocabulary, _ = read_corpus(text)",
        f"moments = moments_of(text, vocabulary, {question.order})",
        f'settings = FieldTraining({question.order}, None, l2={L2}, max_steps={LEARNING}, dtype="float64")',
        f"field = FieldTrainer(moments, settings=settings).advance({LEARNING}).potentials",
        "print(tighten(field).bounds, ring_log_z(field, moments.tokens))",
    ]
    return "\n".join(lines) + "\n"


def learning_code(question, size=None):
    """Return source that trains on the same text and prints bounds; ``size`` limits the vocabulary."""
    rank, (imports, text) = question.rank or None, _text_lines(question)
    lines = [
        "import rcmviz as rv",
        *imports,
        "",
        *text,
        f"field = rv.MarkovField({size}, {question.neighbours}, {rank}, l2={question.l2:g}, held_out={HELD_OUT},",
        f"                       max_steps={question.steps}, patience=None, random_state={question.seed})",
        "field.fit(text, progress=lambda state: print(state.step, state.bound, state.held_out))",
        "print(field.score(text[-len(text) // 10 :]))  # exact, given the length of each sentence",
    ]
    return "\n".join(lines) + "\n"


def _text_lines(question):
    """Return (imports, lines that make the ``text``) of a question."""
    if question.source == "grammar":
        return ["from rcmviz.tasks.decipher.grammar import sentences"], [f"text = sentences({question.sentences})"]
    split = "from rcmviz.tasks.english import split_words"
    if question.source == OWN:
        return [split], ['text = [split_words(line) for line in open("text.txt", encoding="utf-8")]']
    return [
        "import numpy as np",
        "from rcmviz.data.registry import need  # rcmviz data get tatoeba",
        "from rcmviz.lm.text import read_sentences",
        split,
    ], [
        'found = list(read_sentences(need("tatoeba")))',
        f"chosen = np.random.default_rng(0).permutation(len(found))[:{question.sentences}]",
        'text = [split_words(" ".join(found[k])) for k in chosen]',
    ]


def blank_code(question):
    """Return source that fills a blank."""
    left, right = map(str.strip, LONE_BLANK.split(question.sentence))
    lines = [
        *_field_lines(question),
        f"left, right = {left!r}, {right!r}",
        "print(field.fill(left, right, 10))",
        "print(field.edge_scores(left, right).shape)  # (before and behind, distance, word)",
    ]
    return "\n".join(lines) + "\n"


def proof_code(question):
    """Return source that proves the best sentence, given the keys of a phone."""
    lines = [
        *_field_lines(question),
        "from rcmviz.tasks.sms.mrf import read_with_field",
        "",
        f"message, hmm = read_with_field(field, {question.sentence!r})",
        "best, trace = rv.ars_decode(hmm)",
        "print(message.digits, best.words, best.gap, len(trace))",
    ]
    return "\n".join(lines) + "\n"


def neighbours_code(question):
    """Return source that prints the nearest words of a word, and the vectors of the map."""
    word = {"english": "coffee", "grammar": "book"}[question.model]
    lines = [*_field_lines(question), f"print(field.neighbours({word!r}, 10))", "print(field.vectors.shape)"]
    return "\n".join(lines) + "\n"


def tagging_code(question):
    """Return source that tags a sentence with the shipped field."""
    lines = [
        "import rcmviz as rv",
        "",
        f'tagger = rv.load_field_tagger("{TAGGER}")',
        f"words = tagger.split({question.tagged!r})",
        "tags = tagger.predict([words])[0]",
        "print(tags, tagger.reasons(words, 0, tags[0]))",
    ]
    return "\n".join(lines) + "\n"


def _field_lines(question):
    if question.model == "english":
        return ["import rcmviz as rv", "", f'field = rv.load_field("{SHIPPED}")']
    settings = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    return [
        "import rcmviz as rv",
        "from rcmviz.tasks.decipher.grammar import sentences",
        "",
        f"field = rv.MarkovField({settings}).fit(sentences({SENTENCES}))",
    ]
