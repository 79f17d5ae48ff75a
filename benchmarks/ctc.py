"""CTC in one run: lines of handwriting, frame by frame, read by pyctcdecode, prefix beam search, RCMS and exactly.

    OMP_NUM_THREADS=1 python benchmarks/ctc.py [--data pen | kassel] [--lines 200] [--json results.json]

Letters stand side by side; a frame is a window of columns, and a small network says for each which letter it shows, or
none. Lines are of words that no frame was learned from, drawn from the same lexicon; the language model of letters is
trained on the words of the frames, and so is one of words; their weights are chosen by beam search on other lines.
pyctcdecode has rows where it and kenlm can be imported: without a language model, and with that of words, at the same
budgets and with weights of its own; it knows none of letters. A method has the gold where that has any probability
under the contexts that were kept, pyctcdecode where it is among its outputs. Where it is missing, that is said.
"""

import argparse
import json
import tempfile
import time
import warnings
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
from engine import show
from sklearn.neural_network import MLPClassifier

import rcmviz as rv
from rcmviz.align.evaluation import edit_distance
from rcmviz.tasks.handwriting.letter_data import LETTERS, ROWS, load_words
from rcmviz.tasks.handwriting.pen import pen_words

HAS_PYCTCDECODE = find_spec("pyctcdecode") is not None and find_spec("kenlm") is not None
EVERYTHING = {"beam_prune_logp": -1e4, "token_min_logp": -1e4}  # pyctcdecode drops for its width only
LABELS = LETTERS + "_"
BLANK = len(LABELS)
GAP, SPACE, WINDOW, STEP = 2, 8, 10, 2  # columns between letters and between words, of a frame, from frame to frame
WORDS_PER_LINE = 3
LEARNED_FROM = 900  # words
ORDER, WORD_ORDER = 5, 2
METHODS = {"beam": {"method": "beam"}, "rcms": {}, "rcms, 2 passes": {"passes": 2}}
WEIGHTS = (0.3, 0.6, 1.0, 1.5)
BONUSES = (0.0, 1.0, 2.0)
UNKNOWN_SCORES, OTHER_UNKNOWN = (-5.0, -10.0), (-5.0, -10.0, -20.0, -40.0)


def lines_of(words):
    """``[(text, images)]``: so many words a line, in their order."""
    return [words[k : k + WORDS_PER_LINE] for k in range(0, len(words) - WORDS_PER_LINE + 1, WORDS_PER_LINE)]


def frames_of(line):
    """(text, windows (T, ROWS · WINDOW), the symbol that each shows) of a line of words."""
    columns, shows, text = [np.zeros((ROWS, WINDOW // 2))], [[BLANK] * (WINDOW // 2)], []
    for word in line:
        if text:
            columns.append(np.zeros((ROWS, SPACE)))
            shows.append([BLANK] * 2 + [LABELS.index("_")] * (SPACE - 4) + [BLANK] * 2)
            text.append("_")
        for letter, image in zip(word.letters, word.images, strict=True):
            columns += [image, np.zeros((ROWS, GAP))]
            label = LABELS.index(letter)
            shows += [[BLANK] * 2 + [label] * 4 + [BLANK] * 2, [BLANK] * GAP]
        text += word.letters
    columns.append(np.zeros((ROWS, WINDOW // 2)))
    page, shows = np.concatenate(columns, axis=1), np.concatenate([*shows, [BLANK] * (WINDOW // 2)])
    starts = range(0, page.shape[1] - WINDOW + 1, STEP)
    windows = np.array([page[:, t : t + WINDOW].ravel() for t in starts])
    return "".join(text), windows, shows[[t + WINDOW // 2 for t in starts]].astype(int)


def trained(lines, seed=0):
    """A network of one hidden layer: window → log probabilities of the symbols."""
    _, windows, symbols = zip(*map(frames_of, lines), strict=True)
    network = MLPClassifier((48,), max_iter=8, early_stopping=False, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it does not converge in so few passes, which is enough
        return network.fit(np.concatenate(windows).astype(np.float32), np.concatenate(symbols))


def log_probs_of(network, lines):
    """``[(text, log probabilities (T, V + 1))]``."""
    found = []
    for text, windows, _ in map(frames_of, lines):
        log_probs = np.full((len(windows), BLANK + 1), -30.0)
        log_probs[:, network.classes_] = network.predict_log_proba(windows)
        found.append((text, np.maximum(log_probs, -30.0)))
    return found


def measured(name, budget, examples, read):
    """A row: errors, what became of what was written, time. ``read(log_probs)`` gives (text, log prob of any text)."""
    wrong = letters = words_wrong = words = lines = covered = 0
    surprise, started = [], time.process_time()
    answers = [read(log_probs) for _, log_probs in examples]
    seconds = time.process_time() - started
    for (gold, _), (text, log_prob_of) in zip(examples, answers, strict=True):
        wrong, letters, lines = wrong + edit_distance(text, gold), letters + len(gold), lines + (text != gold)
        words_wrong, words = words_wrong + edit_distance(text.split("_"), gold.split("_")), words + WORDS_PER_LINE
        if log_prob_of is not None:
            surprise.append(log_prob_of(gold))
            covered += surprise[-1] != -np.inf
    has = bool(surprise)
    return {
        "method": name, "budget": budget, "letters wrong": wrong / letters, "words wrong": words_wrong / words,
        "lines wrong": lines / len(examples),
        "has the gold": covered / len(examples) if has else float("nan"),
        "mean log p(gold)": float(np.mean(surprise)) if has else float("nan"),
        "CPU ms per line": 1e3 * seconds / len(examples),
    }  # fmt: skip


def reader(lm, budget, **how):
    """``measured``'s read by this library."""

    def read(log_probs):
        transcript = rv.ctc(log_probs, LABELS, lm, budget, **how)
        return transcript.text, transcript.log_prob

    return read


def other_decoder(lm=None, weights=None):
    """pyctcdecode's decoder, with a language model of words that KenLM reads."""
    from pyctcdecode import build_ctcdecoder

    labels = [*LABELS.replace("_", " "), ""]
    if lm is None:
        return build_ctcdecoder(labels)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.arpa"
        lm.write_arpa(path)
        words = [word for word in lm.vocabulary if not word.startswith("<")]
        return build_ctcdecoder(
            labels, str(path), words, alpha=weights["lm_weight"], beta=weights["word_bonus"],
            unk_score_offset=weights["unknown_score"],
        )  # fmt: skip


def other_reader(decoder, width, drops):
    """``measured``'s read by pyctcdecode."""

    def read(log_probs):
        texts = [beam[0].replace(" ", "_") for beam in decoder.decode_beams(log_probs, beam_width=width, **drops)]
        return texts[0], lambda gold: np.nan if gold in texts else -np.inf

    return read


def with_words(lm, weights, other_weights, budgets, examples):
    """Rows of all methods with a language model of words."""
    rows, decoder = [], other_decoder(lm, other_weights) if HAS_PYCTCDECODE else None
    for budget in budgets:
        if decoder:
            rows.append(measured("pyctcdecode", budget, examples, other_reader(decoder, budget, EVERYTHING)))
            rows.append(measured("… its thresholds", budget, examples, other_reader(decoder, budget, {})))
        for name, how in METHODS.items():
            rows.append(measured(name, budget, examples, reader(lm, budget, **how, **weights)))
    return rows


def chosen(examples, reader_of, **choices):
    """The weights of the language model with the fewest wrong letters, among all choices."""
    trials = [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
    return min(trials, key=lambda w: measured("", 0, examples, reader_of(w))["letters wrong"])


def other_chosen(lm, examples, choices):
    """The same for pyctcdecode, at a width of 20 with its own thresholds; its unknown words may cost more."""
    return chosen(
        examples, lambda w: other_reader(other_decoder(lm, w), 20, {}), **choices | {"unknown_score": OTHER_UNKNOWN}
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", choices=("pen", "kassel"), default="pen")
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--budgets", type=int, nargs="*", default=[1, 2, 5, 10, 20, 50, 100])
    parser.add_argument("--without", type=int, nargs="*", default=[5, 20], help="budgets without a language model")
    parser.add_argument("--words", type=int, nargs="*", default=[5, 20, 100], help="budgets with a model of words")
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    if not HAS_PYCTCDECODE:
        print("pyctcdecode or kenlm is not installed, its rows are left out: pip install pyctcdecode kenlm")
    tuning, needed = 50, WORDS_PER_LINE * (options.lines + 50)
    words = pen_words(LEARNED_FROM + needed, seed=0) if options.data == "pen" else load_words()
    words = [words[k] for k in np.random.default_rng(0).permutation(len(words))[: LEARNED_FROM + needed]]
    learned_from, unseen = lines_of(words[:LEARNED_FROM]), lines_of(words[LEARNED_FROM:])
    network = trained(learned_from)
    examples = log_probs_of(network, unseen)
    tune, test = examples[:tuning], examples[tuning:]
    lm = rv.train_lm([list("_".join(word.letters for word in line)) for line in learned_from], ORDER)
    weights = chosen(tune, lambda w: reader(lm, 50, method="beam", **w), lm_weight=WEIGHTS, label_bonus=BONUSES)
    print(f"{options.data}: {len(test)} lines of {np.mean([len(text) for text, _ in test]):.0f} letters and "
          f"{np.mean([len(rows) for _, rows in test]):.0f} frames; {weights}")  # fmt: skip
    with_lm = [
        measured(name, budget, test, reader(lm, budget, **how, **weights))
        for budget in options.budgets
        for name, how in METHODS.items()
    ]
    show(f"with a language model of letters, order {ORDER}", with_lm)
    rows = []
    for budget in options.without:
        if HAS_PYCTCDECODE:
            rows.append(measured("pyctcdecode", budget, test, other_reader(other_decoder(), budget, EVERYTHING)))
        rows.append(measured("beam", budget, test, reader(None, budget, method="beam")))
    rows.append(measured("exact", "", test, reader(None, 1, method="exact")))
    show("without a language model", rows)
    words_lm = rv.train_lm([[word.letters for word in line] for line in learned_from], WORD_ORDER)
    choices = {"lm_weight": WEIGHTS, "word_bonus": BONUSES, "unknown_score": UNKNOWN_SCORES, "separator": "_"}
    word_weights = chosen(tune, lambda w: reader(words_lm, 50, method="beam", **w), **choices)
    other_weights = other_chosen(words_lm, tune, choices) if HAS_PYCTCDECODE else {}
    of_words = with_words(words_lm, word_weights, other_weights, options.words, test)
    print(f"words: {word_weights}; pyctcdecode: {other_weights}")
    show(f"with a language model of {len(words_lm.vocabulary):,} words, order {WORD_ORDER}", of_words)
    if options.json:
        result = {"weights": weights, "without": rows, "with": with_lm}
        result |= {"weights of words": word_weights, "pyctcdecode's": other_weights, "words": of_words}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
