"""Payloads as the JSON that a browser reads: written once for all users and steps of a view."""

import json
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Packed:
    """A payload whose ``text`` is written, and the fields that one session has ``over`` it."""

    text: str
    over: dict = field(default_factory=dict)

    def __or__(self, over):
        """The same text under these fields too."""
        return Packed(self.text, self.over | over)

    def whole(self):
        """The payload as plain JSON."""
        return json.loads(self.text) | self.over


def pack(payload):
    """A payload as ``Packed``.

    >>> sent = as_bytes(pack({"T": 3, "node": None}) | {"node": "*a"})
    >>> sent, json.loads(sent)
    (b'{"T":3,"node":null,"node":"*a"}', {'T': 3, 'node': '*a'})
    """
    return Packed(_written(payload))


def whole(payload):
    """A payload, packed or not, as plain JSON."""
    return payload.whole() if isinstance(payload, Packed) else payload


def as_bytes(payload):
    """The bytes of a payload, packed or not: of two fields of one name whoever reads JSON takes the last."""
    if not isinstance(payload, Packed):
        return _written(payload).encode()
    over = _written(payload.over)
    return (payload.text if over == "{}" else f"{payload.text[:-1]},{over[1:]}").encode()


def _written(value):
    return json.dumps(value, separators=(",", ":"))
