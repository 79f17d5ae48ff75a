"""Answers to questions; the page, lessons, exports, the documentation and tests all get their payloads here."""

import json
from functools import cache
from typing import Any, NamedTuple

from pages.shell.capability import Capability, Payload
from pages.shell.computing import compute
from pages.shell.question import Question
from pages.shell.registry import folder_of, page_named
from rcmviz.jobs.memory import RESULT_CACHE
from rcmviz.views.shared.packed import Packed, plain_payload


class Answer(NamedTuple):
    """The ``payload`` of a question, and the ``inputs`` that it was computed from."""

    payload: Payload | Packed
    inputs: Any


def answer_of(page: Capability[Any, Any], question: Question) -> Answer:
    """Return the answer to a question, prepared, cached or computed; ValueError says why there is none."""
    inputs = page.at(question).load(question)  # before the cache, which all visitors share: refuses uploads of others
    relevant = question.relevant()
    payload = _prepared_payload(page, relevant)
    if payload is not None:
        return Answer(payload, inputs)
    return Answer(_cached_answer(page.name, relevant), inputs)


def is_known(page: Capability[Any, Any], question: Question) -> bool:
    """Whether the answer to a question is prepared or cached."""
    relevant = question.relevant()
    return _prepared_payload(page, relevant) is not None or _cached_answer.is_kept(page.name, relevant)


def _prepared_payload(page: Capability[Any, Any], relevant: Question) -> Payload | None:
    """Return the prepared payload, if this is the question that the page or the tab opens with."""
    if relevant != page.opening(relevant).relevant():
        return None
    kept = prepared(page.name)
    return kept.get(relevant.tab) if kept and page.tabs else kept


def payload_of(page: Capability[Any, Any], question: Question) -> Payload:
    """Return the payload of a question as plain JSON, from the same sources as ``answer_of``."""
    return plain_payload(answer_of(page, question).payload)


def compute_payload(page: Capability[Any, Any], question: Question) -> Payload:
    """Compute the payload now, without the cache; a worker process does so if it takes half a second or more."""
    return plain_payload(_compute_answer(page, question))


def _compute_answer(page: Capability[Any, Any], question: Question) -> Payload | Packed:
    page = page.at(question)
    inputs = page.load(question)
    payload = compute(page.seconds(inputs), page.answer, inputs)
    return payload | {"code": page.code(question, inputs)} if page.code else payload


@cache
def prepared(name: str) -> Any:
    """Return the prepared payload of a page, by tab if it has tabs; None if none is prepared."""
    file = folder_of(name) / "example.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


@RESULT_CACHE.memoized
def _cached_answer(name: str, question: Question) -> Payload | Packed:
    return _compute_answer(page_named(name), question)
