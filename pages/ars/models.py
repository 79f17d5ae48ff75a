"""The language models of the ARS page: those that are shipped, and those that somebody uploads."""

import hashlib
import io
import tempfile
import zipfile
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path

import streamlit as st

import rcmviz as rv
from pages.ars.link import TAGGER
from pages.shared.uploads import keep_latest
from rcmviz.lm.arpa import parse_arpa
from rcmviz.lm.shipped import shipped_lms
from rcmviz.tasks.tagging.shipped import load_tagger

UPLOAD_MB = 50
MAX_BYTES = 400_000_000  # of a model unpacked
MOST_UPLOADS = 4
UPLOADS = OrderedDict()  # digest → (name, LanguageModel), the latest last, of all sessions
MINE = "ars.uploads"  # names of what this session uploaded


@lru_cache(maxsize=4)
def shipped_lm(name):
    """A shipped language model."""
    return rv.load_lm(name)


@lru_cache(maxsize=1)
def tagger():
    """The shipped tagger; its tags have orders up to 9."""
    return load_tagger(TAGGER)


def model_named(name):
    """The model of a name in a link: a shipped one, or an upload; ValueError where it is gone."""
    kind, _, digest = name.partition(":")
    if kind != "upload":
        return shipped_lm(name)
    if digest not in UPLOADS:
        raise ValueError("this model is gone: uploads are kept while the server runs, the latest four; upload it again")
    return UPLOADS[digest][1]


def title_of(name):
    """How people call a model."""
    kind, _, digest = name.partition(":")
    if kind != "upload":
        return name.removeprefix("lm-").replace("-", " ")
    return UPLOADS[digest][0] if digest in UPLOADS else "an upload that is gone"


def offered(chosen):
    """Names to choose from: the shipped ones, what this session uploaded, and the present one in any case.

    What others uploaded to the same server is not offered: only who knows its name, from a link, can open it.
    """
    mine = (name for name in st.session_state.get(MINE, ()) if name.partition(":")[2] in UPLOADS)
    return list(dict.fromkeys([*shipped_lms(), *mine, chosen]))


def keep_model(name, content):
    """Read an uploaded model, keep it for this process and return its name for links; ValueError: what is wrong."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    keep_latest(UPLOADS, digest, UPLOADS.get(digest) or (name, read_model(name, content)), MOST_UPLOADS)
    mine = f"upload:{digest}"
    st.session_state[MINE] = [*dict.fromkeys([*st.session_state.get(MINE, ()), mine])][-MOST_UPLOADS:]
    return mine


def read_model(name, content):
    """A LanguageModel of the bytes of an ARPA file, plain or gzip, or of an npz file of ours."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return parse_arpa(content, name, max_bytes=MAX_BYTES).to_model()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > MAX_BYTES:
        raise ValueError(f"{name}: unpacked it has {size:,} bytes, at most {MAX_BYTES:,} are read; prune the model")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        path.write_bytes(content)
        try:
            return rv.LanguageModel.load(path)
        except ValueError as error:
            raise ValueError(str(error).replace(str(path), name)) from None
