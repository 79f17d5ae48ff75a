"""Language models that a page can use: shipped ones and uploads."""

import hashlib
import io
import re
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path

import streamlit as st

import rcmviz as rv
from pages.shell.computing import compute
from pages.shell.text import sentence
from pages.shell.uploads import Uploads, draw_uploader, keep_latest, weigh
from rcmviz.lm.arpa import parse_arpa
from rcmviz.lm.shipped import shipped_lms

UPLOAD_MB = 50
BYTES_PER_SECOND = 4_000_000  # of an uploaded file, estimated
MAX_BYTES = 400_000_000  # of a model unpacked
MOST_UPLOADS = 4
UPLOADED = re.compile(r"upload:[0-9a-f]{16}")
GONE = "this uploaded model is missing: the latest four uploads of a browser are kept; upload it again"
UPLOADS = Uploads()  # digest → (name, LanguageModel)


def known_name(name):
    """Return the name of a model in a link; ValueError if it cannot be one."""
    if name in shipped_lms() or UPLOADED.fullmatch(name):
        return name
    raise ValueError(f"there is no language model {name[:40]!r}; shipped are {', '.join(shipped_lms())}")


@lru_cache(maxsize=4)
def shipped_lm(name):
    """A shipped language model."""
    return rv.load_lm(name)


def model_named(name):
    """Return the model of a name in a link, shipped or uploaded; ValueError if the upload is missing."""
    kind, _, digest = name.partition(":")
    if kind != "upload":
        return shipped_lm(name)
    return UPLOADS.need(digest, GONE)[1]


def title_of(name):
    """Return the title of a model."""
    kind, _, digest = name.partition(":")
    if kind != "upload":
        return name.removeprefix("lm-").replace("-", " ")
    return UPLOADS[digest][0] if digest in UPLOADS else "an upload that is gone"


def offered_models(chosen=None):
    """Return the names to choose from: shipped models, this visitor's uploads, and the ``chosen`` one in any case."""
    return list(dict.fromkeys([*shipped_lms(), *(f"upload:{digest}" for digest in UPLOADS), *filter(None, [chosen])]))


def upload_model(page, field, key):
    """Draw an uploader for a language model, which becomes the ``field`` of the question; errors are shown below.

    A file that is too large is refused before it is sent.
    """
    draw_uploader(
        st,
        "Upload a language model (ARPA, gzip or npz)",
        ["arpa", "lm", "gz", "npz"],
        UPLOAD_MB,
        key=page.key(key),
        on_change=_take_model,
        args=(page, field, key),
    )
    refused = st.session_state.pop(page.key(f"{key}.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take_model(page, field, key):
    upload = st.session_state[page.key(key)]
    if upload is None:
        return
    try:
        page.change(**{field: keep_model(upload.name, upload.getvalue())})
    except ValueError as error:
        st.session_state[page.key(f"{key}.refused")] = str(error)


def keep_model(name, content):
    """Read an uploaded model, keep it for its visitor and return its name for links; ValueError explains a refusal."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    kept = UPLOADS.get(digest)
    if kept is None:
        size = weigh(name, content, MAX_BYTES)
        kept = name, compute(size / BYTES_PER_SECOND, read_model, name, content)
    keep_latest(UPLOADS, digest, kept, MOST_UPLOADS)
    return f"upload:{digest}"


def read_model(name, content):
    """Return the LanguageModel of an ARPA file, plain or gzip, or of a saved npz file, given as bytes."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return parse_arpa(content, name, max_bytes=MAX_BYTES).to_model()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        path.write_bytes(content)
        try:
            return rv.LanguageModel.load(path)
        except ValueError as error:
            raise ValueError(str(error).replace(str(path), name)) from None
