"""CTC with a language model, by the rules of this library: exact, beam or RCMS over what the frames collapse to."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.methods import BASIC
from rcmviz.core.shared import checks
from rcmviz.core.shared.repeats import first_repeated
from rcmviz.core.shared.wording import counted
from rcmviz.ctc_decoding.alignments import align_frames
from rcmviz.ctc_decoding.contexts import HistoryScores
from rcmviz.ctc_decoding.file import BLANKS
from rcmviz.ctc_decoding.replay import Replay
from rcmviz.ctc_decoding.transcript import Transcript
from rcmviz.ctc_decoding.words import Weights, spelling_scores_of
from rcmviz.lm.language_model import LanguageModel

UNKNOWN_SCORE, UNKNOWN_LETTER = -10.0, -3.0  # nats, for a word that the language model does not know


def ctc(
    log_probs: ArrayLike,
    labels: str | Sequence[str],
    lm: LanguageModel | None = None,
    budget: int = 20,
    *,
    method: str = "rcms",
    passes: int = 1,
    blank: int = -1,
    lm_weight: float = 1.0,
    label_bonus: float = 0.0,
    end: bool = True,
    separator: str | None = None,
    word_bonus: float = 0.0,
    unknown_score: float = UNKNOWN_SCORE,
    unknown_letter: float = UNKNOWN_LETTER,
) -> Transcript:
    """Read the frames of a classifier with a blank (CTC), with a language model over the labels or words of them.

    Parameters
    ----------
    log_probs : array_like of shape (T, V + 1)
        Log probabilities of the labels and the blank at each frame, in nats, −inf allowed. The columns of a table
        with names, such as a DataFrame, are found by the labels and ``<blank>``.
    labels : str or sequence of str, length V
        The names of the labels, the blank left out: characters, or pieces of words.
    lm : LanguageModel, optional
        A model whose words are the labels, or with a ``separator`` words that they spell; without one the frames speak
        alone.
    budget : int
        Contexts that a frame keeps. With rcms those of one label and the start, which are always kept, are not counted.
    method : {"rcms", "beam", "exact"}
        What contexts are: with rcms the heaviest strings of labels that the output may end in, the others merged into
        shorter ones; with beam whole outputs, the others dropped (prefix beam search); with exact all strings of the
        n − 1 labels that an n-gram model sees. With a ``separator`` contexts are words and the beginning of a word.
    passes : int
        Number of passes of rcms, 1 to 10; from the second on contexts are ranked by forward mass times the backward
        mass of the pass before.
    blank : int
        Column of the blank in ``log_probs``, −1 for the last.
    lm_weight : float
        Multiplies the log probabilities of the language model.
    label_bonus : float
        Added for every label, in nats.
    end : bool
        Score the end of the output too, if there is a language model.
    separator : str, optional
        The label between words, where the language model is one of words. The other labels are one character each.
    word_bonus : float
        With a separator: added for every word, in nats.
    unknown_score : float
        With a separator: added for every word that the model does not know, in addition to its score of ``<unk>``; −inf
        allowed, for no such words.
    unknown_letter : float
        With a separator: added for every letter of such a word after the first one with which no word of the model
        begins.

    Returns
    -------
    Transcript
        The best output and its confidence, the next best, frames of labels, posteriors of frames, log Z.

    Raises
    ------
    ValueError
        An argument is malformed, or there are more contexts than memory should hold.

    Notes
    -----
    An output scores the sum over its alignments (Graves et al., 2006, eq. 3) times its probability under the language
    model; log Z is the sum over all outputs. Prefix beam search is that of Hannun et al. (2014); rcms is Steinhardt and
    Liang (2015), §4, over collapsed outputs. ``docs/ctc.md`` has the definition.

    Examples
    --------
    >>> import numpy as np
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["c a t", "c a r", "a r c"], order=3)
    >>> frames = np.log([[0.1, 0.4, 0.45, 0.05], [0.8, 0.05, 0.05, 0.1], [0.1, 0.1, 0.6, 0.2]])
    >>> rv.ctc(frames, "acr").text, rv.ctc(frames, "acr", lm).text
    ('rar', 'car')
    """
    checks.choice("method", method, BASIC)
    if checks.passes(passes) > 1 and method != "rcms":
        raise ValueError(f"passes {passes}: only rcms looks again at what it keeps; {method} takes one pass")
    budget, names = checks.budget(budget), _check_labels(labels)
    emit, blank = _check_frames(log_probs, names, blank)
    weights = _check_weights(lm_weight, label_bonus, word_bonus, unknown_score, unknown_letter)
    label_scores = _scores_of(names, lm, separator, weights, checks.switch("end", end))
    return Transcript(names, blank, method, budget, align_frames(emit, label_scores, method, budget, passes))


def warm_up() -> None:
    """Compile what ``ctc``, the questions to its transcripts and their view need."""
    frames, lm = np.log([[0.4, 0.2, 0.4], [0.2, 0.2, 0.6]]), LanguageModel.from_weights("a_", {("a",): -1.0})
    for options in *({"method": method} for method in BASIC), {"passes": 2}, {"separator": "_"}:
        read = ctc(frames, "a_", lm, end=False, **options)
        read.text, read.frames, read.posterior, read.log_prob("a"), read.confidences_of("a")  # noqa: B018
    replay = Replay(read.alignments)
    replay.candidates(1), replay.ahead(1)  # noqa: B018


def _check_weights(lm_weight, label_bonus, word_bonus, unknown_score, unknown_letter):
    most, nats = checks.LARGEST, "nats, at most a million in size"
    return Weights(
        checks.number("lm_weight", lm_weight, "a number above 0, 1 as it is", above=0, most=most),
        checks.number("label_bonus", label_bonus, nats, least=-most, most=most),
        checks.number("word_bonus", word_bonus, nats, least=-most, most=most),
        checks.number("unknown_score", unknown_score, "nats, at most a million, -inf for no such words", most=most),
        checks.number("unknown_letter", unknown_letter, nats, least=-most, most=most),
    )


def _scores_of(labels, lm, separator, weights, end):
    """The scores of labels, one by one or as words."""
    if separator is not None:
        return spelling_scores_of(labels, lm, separator, weights, end)
    if weights != Weights(weights.lm_weight, weights.label_bonus, 0.0, UNKNOWN_SCORE, UNKNOWN_LETTER):
        raise ValueError("word_bonus and unknown= are for words: name the label between them as separator=")
    return HistoryScores(labels, lm, weights.lm_weight, weights.label_bonus, end)


def _check_labels(labels):
    labels = tuple(checks.as_list("labels", labels, "a list of texts", or_text=True))
    for label in labels:
        if not isinstance(label, str) or not label:
            raise ValueError(f"labels: {label!r} names no label; give texts, the blank left out, its column as blank=")
    if len(set(labels)) < len(labels):
        raise ValueError(f"labels: {first_repeated(labels)!r} occurs twice")
    if not labels:
        raise ValueError("labels: empty; give at least one")
    return labels


def _check_frames(log_probs, labels, blank):
    """(logs (T, V + 1) with the blank last, the blank's column in ``log_probs``)."""
    width = len(labels)
    blank = checks.whole("blank", blank, -1, width) % (width + 1)
    named = set(checks.column_names(log_probs) or ()) - set(labels)
    of_blank = next((name for name in BLANKS if name in named), "<blank>")
    wanted = "log_probs: expected one row of numbers per frame, all rows of one length"
    given = checks.labelled("log_probs", log_probs, (*labels[:blank], of_blank, *labels[blank:]), wanted)
    if given.ndim != 2 or len(given) == 0:
        raise ValueError(f"log_probs has shape {given.shape}: expected (frames, labels + 1), at least one frame")
    if given.shape[1] != width + 1:
        shape = f"{counted(given.shape[1], 'column')} for {counted(width, 'label')}"
        raise ValueError(f"log_probs has {shape}: expected one more, the blank")
    names = [*map(repr, labels[:blank]), "the blank", *map(repr, labels[blank:])]
    checks.logs(given, lambda t, a: f"log_probs at frame {t}, {names[a]}")
    checks.warn_of_probabilities("log_probs", given)
    emit = np.ascontiguousarray(np.concatenate([np.delete(given, blank, axis=1), given[:, [blank]]], axis=1))
    emit.setflags(write=False)
    return emit, blank
