"""Payloads as JSON text, serialized once for all sessions and runs."""

import json
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Packed:
    """A payload as ``text``, and the fields ``over`` it of one session."""

    text: str
    over: dict = field(default_factory=dict)

    def __or__(self, over):
        """Return the same text with further fields over it."""
        return Packed(self.text, self.over | over)

    def whole(self):
        """Return the payload as plain JSON."""
        return json.loads(self.text) | self.over


def pack(payload):
    """Return a payload as ``Packed``.

    >>> sent = as_bytes(pack({"T": 3, "node": None}) | {"node": "*a"})
    >>> sent, json.loads(sent)
    (b'{"T":3,"node":null,"node":"*a"}', {'T': 3, 'node': '*a'})
    """
    return Packed(_to_json(payload))


def plain_payload(payload):
    """Return a payload, packed or not, as plain JSON."""
    return payload.whole() if isinstance(payload, Packed) else payload


def as_bytes(payload):
    """Return the bytes of a payload, packed or not; JSON readers take the last of two fields of one name."""
    if not isinstance(payload, Packed):
        return _to_json(payload).encode()
    over = _to_json(payload.over)
    return (payload.text if over == "{}" else f"{payload.text[:-1]},{over[1:]}").encode()


def _to_json(value):
    return json.dumps(value, separators=(",", ":"))
