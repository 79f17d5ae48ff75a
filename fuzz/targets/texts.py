"""Texts: ARPA files, corpora, sequences in columns, letters, ciphers, messages, strokes, pronunciations."""

import gzip
from functools import cache

import numpy as np

import rcmviz as rv
from fuzz.damage import of_bytes
from fuzz.files import as_file, fixtures
from fuzz.target import target
from fuzz.targets.models import SENTENCES, ask_frames, ask_language_model
from pages.ctc.upload import read_frames
from pages.decipher.pins import read_pins
from pages.shell.language_models import read_model
from pages.word.edits import read_edits
from pages.word.runs import pack_problem, unpack_problem
from pages.word.strokes import word_drawn, write_strokes
from rcmviz.core.problems.problem_file import parse_names, parse_problem
from rcmviz.core.shared.packed import count_unpacked_bytes
from rcmviz.ctc_decoding.file import parse_frames
from rcmviz.lm.arpa import parse_arpa, parse_bytes
from rcmviz.lm.arpa_bytes import unpack
from rcmviz.lm.doctor import examine
from rcmviz.lm.text import read_sentences
from rcmviz.mrf.vocabulary import read_corpus
from rcmviz.sequences.file import parse_sequences
from rcmviz.tasks.decipher.letters import encipher_text, read_cryptogram
from rcmviz.tasks.decipher.words import given_cipher, text_cipher
from rcmviz.tasks.handwriting.letter_data import features, read_letters
from rcmviz.tasks.handwriting.pen import decode_images, encode_images, pen_words
from rcmviz.tasks.sms.messages import read_digits, read_text
from rcmviz.tasks.speech.examples import Channel, read_speech
from rcmviz.tasks.tagging.tagger import read_tagged

TEXT = b"the cat sat on the mat\na dog ran\n\nthe cat ran, the dog's mat\nIt is late!\n" * 3
CONLLU = (
    b"# sent_id = 1\n1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"2\tcan\tcan\tAUX\tMD\t_\t0\troot\t_\t_\n3\tnot\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_\n\n"
    b"1\tit\tit\tPRON\tPRP\t_\t0\troot\t_\t_\n\n"
)
CRYPTOGRAM = b"Uif dbu tbu po uif nbu boe mpplfe bu uif nppo; ju xbt mbuf."
SPOKEN = b"hello HH AH0 L OW1\ncat  K AE1 T ;;; a pet\nmoon\tM UW1 N\nten T EH1 N # so\nsun S AH1 N\n"
CHANNEL = b"meant\tsaid\tcount\naa\taa\t9\naa\tah\t2\n-\tt\t1\nt\t-\t3\nt\tt\t7\n"


def packed_or_not(content):
    """A text, and the same as gzip."""
    return {"plain": content, "gzip": gzip.compress(content, mtime=0)}


@target(
    "arpa",
    lambda: fixtures("lm-*.arpa"),
    of_bytes(b"\\data\\", b"\\end\\", b"\\2-grams:", b"ngram 2=", b"-99", b"\t", b"<unk>"),
)
def arpa(content):
    return ask_language_model(parse_arpa(content, "lm.arpa", max_bytes=10_000_000).to_model())


FRAMES = {"probs": b"a,b,<blank>\n.6,.1,.3\n.1,.2,.7\n", "logs": b"a\tb\t\n0\t-1\t-inf\n-2\t-1\t-1\n"}


@target(
    "frames-csv",
    lambda: FRAMES,
    of_bytes(b"\t", b"-inf"),
    read=lambda content: parse_frames(content, "frames.csv"),
)
def frames_csv(content):
    return ask_frames(parse_frames(content, "frames.csv"))


@target(
    "frames-labels",
    lambda: {"labels": b"a\nb\n<blank>\n"},
    of_bytes(b"\n", b"<blank>"),
    read=lambda content: read_frames("frames.csv", b"-1,-2,-1\n", ("labels.txt", content), None),
)
def frames_labels(content):
    return ask_frames(read_frames("frames.csv", b"-1,-2,-1\n-3,-1,-1\n", ("labels.txt", content), None))


@target("label-names", lambda: {"names": b"a\nb\nc\n"}, of_bytes(b"\n", b"\r"))
def label_names(content):
    return parse_names(content, "labels.txt")


@target("arpa-doctor", lambda: fixtures("lm-*.arpa"), of_bytes(b"\\data\\", b"\\3-grams:", b"ngram 3=", b"0", b"-99"))
def doctor(content):
    return examine(parse_bytes(unpack(content, "lm.arpa", 10_000_000), any_counts=True), contexts=20)


@target("uploaded-model", lambda: fixtures("lm-k*.arpa") | fixtures("lm-k*.npz"), of_bytes(b"\\data\\"))
def uploaded(content):
    count_unpacked_bytes(content, 10_000_000)  # as the page weighs it first
    return read_model("model", content).order


@target("text", lambda: packed_or_not(TEXT), of_bytes(b"<s>", b"</s>", b"'", "’".encode()))
def text(content):
    path = as_file(content, "text")
    found = {units: list(read_sentences(path, units)) for units in ("tokens", "words", "characters", "letters")}
    lm = rv.train_lm(found["tokens"], order=2)
    return found, lm.perplexity(found["tokens"])


@target("corpus", lambda: {"text": TEXT}, of_bytes(b"</s>", b"<unk>"))
def corpus(content):
    vocabulary, found = read_corpus(content.decode("utf-8", "replace").splitlines())
    return vocabulary.words, found.ids


CONLL_WORDS = (b"-DOCSTART-", b"# ", b"\t", b"\t\t", b"1-2", b"8.1")


@target("conll", lambda: packed_or_not(b"the DET\ncat NOUN\n\nit PRON\n") | fixtures("*.conll"), of_bytes(*CONLL_WORDS))
def conll(content):
    return ask_sequences(parse_sequences(content, "x.conll"))


@target("conllu", lambda: packed_or_not(CONLLU), of_bytes(*CONLL_WORDS))
def conllu(content):
    path = as_file(content, "x.conllu")
    return ask_sequences(parse_sequences(content, "x.conllu")), read_tagged(path)


@target("sequences-csv", lambda: fixtures("sentences.csv"), of_bytes(b"sequence", b"label", b"token", b'""', b";"))
def sequences_csv(content):
    return ask_sequences(rv.read_sequences(as_file(content, "x.csv")))


def ask_sequences(file):
    """Features and labels, and the file written again."""
    shown = file.X[:3], file.y
    labels = file.y or [["x"] * len(rows) for rows in file.rows]
    file.with_labels(labels, [0.5] * len(file))
    return shown


@cache
def letter_data():
    """Two words in the format of letter.data, plain and packed."""
    lines, number = [], 0
    for place, word in enumerate(pen_words(2, seed=1)):
        for k, (letter, image) in enumerate(zip(word.letters, word.images, strict=True)):
            number += 1
            following = -1 if k == len(word.letters) - 1 else number + 1
            pixels = "\t".join(map(str, image.ravel().tolist()))
            lines.append(f"{number}\t{letter}\t{following}\t{place}\t{k + 1}\t{place}\t{pixels}\t")
    return packed_or_not("\n".join(lines).encode())


@target("letter-data", letter_data, of_bytes(b"\t", b"-1", b"1\t0\t1"))
def letters(content):
    words = read_letters(as_file(content, "letter.data"))
    return [(word.letters, features(word.images, "8x4")[0]) for word in words]


@target("drawing", lambda: {"word": encode_images(pen_words(1, seed=1)[0].images).encode()}, of_bytes(b"0f", b"F" * 32))
def drawing(content):
    return decode_images(content.decode("utf-8", "replace"))


@target("strokes", lambda: {"two": strokes().encode()}, of_bytes(b"~", b".", b"___", b"AAA"))
def drawn(content):
    word = word_drawn(content.decode("utf-8", "replace"))
    return word.images


def strokes():
    """Two letters, as a link has them."""
    return write_strokes([[[(0, 0), (1, 1)], [(0.2, 0.4), (0.2, 0.4)]], [[(0.5, 0.25), (0.5, 0.9), (0.1, 0.3)]]])


@target("cryptogram", lambda: {"text": CRYPTOGRAM}, of_bytes(b"'", "é".encode(), b"Q" * 100))
def cryptogram(content):
    found = read_cryptogram(content.decode("utf-8", "replace"))
    return found.numbers, encipher_text(found.text, 1).text, found.decoded(np.arange(26))


@target("cipher", lambda: packed_or_not(TEXT), of_bytes(b"001 017", b"\n"))
def cipher(content):
    path = as_file(content, "cipher.txt")
    enciphered = as_file(b"001 002\n003 001\n", "enciphered.txt")
    return text_cipher(path).lines, given_cipher(path, enciphered).symbols


@cache
def message_lm():
    """A small language model of words."""
    return rv.train_lm(SENTENCES * 2, order=2)


@target("digits", lambda: {"keys": b"843 228 728 *", "more": b"0 # 2"}, of_bytes(b"1", b"*", b"#", b"2" * 300))
def digits(content):
    message = read_digits(message_lm(), content.decode("utf-8", "replace"), most=4)
    return rv.ars_decode(message.hmm(message_lm()), max_iterations=50)[0]


@target("message", lambda: {"text": b"the cat, sat!", "more": b"A dog end"}, of_bytes(b"'", b"the " * 60))
def message(content):
    return read_text(message_lm(), content.decode("utf-8", "replace"), seed=1, most=4)


@target("pronunciations", lambda: packed_or_not(SPOKEN), of_bytes(b"AH0", b"HH", b"#", b";;;", b"AH0 " * 90))
def pronunciations(content):
    return read_speech(as_file(content, "words.txt")).train


@target("channel", lambda: packed_or_not(CHANNEL), of_bytes(b"\t", b"-"))
def channel(content):
    return Channel.read(as_file(content, "counts.tsv"))


@target(
    "edits", lambda: {"edits": b"p4:ol,f3:=a,b5:20,2p4:.NN.VB,1f2:.a%2Cb"}, of_bytes(b"p", b"f", b"b", b":=", b"%2")
)
def edits(content):
    return read_edits(content.decode("utf-8", "replace"))


@target("pins", lambda: {"pins": b"Q-t,017-house,%2C-a"}, of_bytes(b"-", b"%"))
def pins(content):
    return read_pins(content.decode("utf-8", "replace"))


@target(
    "packed-problem",
    lambda: {"small": pack_problem('{"labels": ["a"], "order": 1, "windows": [], "log_emit": [[0]]}').encode()},
    of_bytes(b"eJ", b"="),
)
def packed(content):
    return parse_problem(unpack_problem(content.decode("utf-8", "replace"))).log_emit
