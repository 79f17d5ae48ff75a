"""A sentence with a blank as it is typed on a phone: adaptive rejection proves what is best under the field."""

from functools import lru_cache

import rcmviz as rv
from pages.field.code import proof_code
from pages.field.models import model_of
from rcmviz.tasks.sms.fields import read_with_field
from rcmviz.views.ars.payload import build_ars

MOST_ROUNDS, SECONDS = 3_000, 20.0


@lru_cache(maxsize=6)
def proof_of(question):
    """What the ARS view draws: bounds round by round, until the best sentence is proved. ValueError says what to do."""
    message, hmm = read_with_field(model_of(question.model).field, question.sentence)
    best, trace = rv.ars_decode(hmm, max_iterations=MOST_ROUNDS, seconds=SECONDS)
    payload = build_ars(
        trace, best, title=question.sentence, inputs=message.keys, gold=message.meant, code=proof_code(question)
    )
    return payload | {"inside": True}
