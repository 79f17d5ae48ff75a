"""Files that commands read and write: checked before the work, complaints with the name of the file.

A file named ``-`` is standard input where texts are read, and standard output where they are written.
"""

import sys
from pathlib import Path
from tempfile import TemporaryFile

from rich.markup import escape

from rcmviz.cli.console import print_note, terminal
from rcmviz.core.shared.whole_file import write_text

STDIN = STDOUT = "-"
INPUT = "standard input"


def check_npz(out, what):
    """ValueError where ``out`` does not end in .npz, or nothing can be written to it."""
    if out.suffix != ".npz":
        raise ValueError(f"{out}: {what} is an .npz file; write e.g. {out.stem}.npz")
    check_out(out)


def check_out(out):
    """ValueError where nothing can be written to ``out``: before the work and not after it."""
    if not out.parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.parent}; make it first, so that the work is not lost")
    if out.exists() and not out.is_file():
        raise ValueError(f"{out}: a {'folder' if out.is_dir() else 'device'}; give the path of a file")
    try:
        with TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        raise ValueError(f"{out}: its folder cannot be written to ({error.strerror}); choose another folder") from None


def check_text_out(out):
    """The same for a text, which is printed if no file is given."""
    if out is not None and str(out) != STDOUT:
        check_out(out)


def write_or_print(text, out, said):
    """A text into the file ``out``, and a line ``said`` about it; to standard output if ``out`` is None or ``-``."""
    if out is None or str(out) == STDOUT:
        print_text(text)
    else:
        write_text(out, text)
        terminal().print(f"{escape(str(out))}: {said}", soft_wrap=True)


def print_text(text):
    """A text on standard output, as it is; ValueError where a shell has closed that (``>&-``)."""
    if sys.stdout is None:
        raise ValueError("standard output is closed: name a file with --out")
    sys.stdout.write(text)


def sequences_of(path, max_bytes, like=None, **named):
    """A file of sequences, and a note of what it skips; of standard input the kind is that of the file that it is
    ``like``, else CoNLL.
    """
    from rcmviz.sequences.file import parse_sequences, read_sequences

    if str(path) != STDIN:
        file = read_sequences(path, like=like, max_bytes=max_bytes, **named)
    else:
        kind = None if like is None else like.kind
        file = parse_sequences(sys.stdin.buffer.read(), INPUT, like=like, max_bytes=max_bytes, kind=kind, **named)
    return print_remarks(file.source, file)


def print_remarks(source, found):
    """The result ``found`` of a reader; its remarks on skipped parts are printed as notes."""
    for remark in found.remarks:
        print_note(f"{source}: {remark}")
    return found


def sentences_of(path, units="tokens", progress=None):
    """The sentences of a text, one per line."""
    from rcmviz.lm.text import read_sentences, stream_sentences

    if str(path) == STDIN:
        return stream_sentences(sys.stdin.buffer, INPUT, units)
    return read_sentences(path, units, progress)


def check_sequence_file(path):
    """ValueError for what looks like the name of a task and is none."""
    if str(path) == STDIN:
        return
    if not Path(path).suffix and not Path(path).exists():
        raise ValueError(f"there is no task or file {path!r}; write handwriting, or the path of a CoNLL or CSV file")


def naming_file(path, call, *arguments, **options):
    """The result of the call; its errors begin with the name of the file."""
    try:
        return call(*arguments, **options)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_like_training(path, encoder, columns, max_mb):
    """A further file and its Sequences, read as training read its own; labels that it has not seen are named."""
    from rcmviz.sequences.encoding import labels_text

    file = sequences_of(path, max_mb * 1_000_000, columns)
    if file.y is None:
        raise ValueError(f"{path}: no column of labels to compare with; rcmviz predict needs none")
    unseen = encoder.unseen(file.y)
    if unseen:
        print_note(f"{path}: training has not seen {labels_text(unseen)}; such labels count as wrong")
    return file, naming_file(path, encoder.encode, file.X, file.y)


def load_classifier(path):
    """The classifier in a file that `rcmviz train` wrote, and how the columns of its training file were read."""
    from rcmviz.learn.classifier import SequenceClassifier
    from rcmviz.sequences.file import Columns

    if path is None:
        raise ValueError("name the model that rcmviz train wrote: --model model.npz")
    classifier = SequenceClassifier.load(path)
    if "columns" not in classifier.model_.info:
        raise ValueError(f"{path}: trained in Python and not on a file; use SequenceClassifier.load there")
    return classifier, naming_file(path, Columns.from_dict, classifier.model_.info["columns"])
