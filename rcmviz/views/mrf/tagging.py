"""A sentence tagged by a field, the features that decided, and other taggers' tags: JSON for the Tagging view."""

import rcmviz as rv
from rcmviz.views.word.payload import Run, build_payload, digest, number

BEST = 3  # tags whose reasons are given
REASONS = 8
MOST_WORDS = 40


def build_tagging(tagger, words, others=(), *, gold=None, title="", code=None):
    """Build the payload of the Tagging view.

    ``tagger`` a FieldTagger · ``words`` of the sentence · ``others`` [(name, their tags)] · ``gold`` the right tags,
    if they are known · ``title`` the training text · ``code`` shown by "show code". ValueError for no words, more
    than 40, or another number of right tags.
    """
    words = list(words)
    if not 1 <= len(words) <= MOST_WORDS:
        said = "there are no words to tag" if not words else f"{len(words)} words are too many"
        raise ValueError(f"{said}: type a sentence of 1 to {MOST_WORDS} words, with blanks between words and marks")
    if gold is not None and len(gold) != len(words):
        raise ValueError(f"gold has {len(gold)} tags for {len(words)} words: give one for each word")
    lattice, _ = rv.exact(tagger.hmm(words))
    tags = tagger.predict([words])[0]
    shares = rv.posterior(lattice).label[: len(words)]
    payload = {
        "kind": "tagging",
        "title": title,
        "names": ["Field", *(name for name, _ in others)],
        "gold": None if gold is None else list(gold),
        "words": [
            {
                "word": word,
                "known": tagger.knows(word),
                "tags": [tags[i], *(found[i] for _, found in others)],
                "best": [
                    _tag_with_reasons(tagger, words, i, tag, p)
                    for tag, p in _best_tags(_shares(lattice, i, shares), tags[i])
                ],
            }
            for i, word in enumerate(words)
        ],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def build_lattice(tagger, words, pin=(), forbid=()):
    """The tags of a sentence as the player shows them, all contexts kept; ``pin`` and ``forbid`` [(position, tag)] as
    ``rv.exact`` takes them, in addition to those without. ValueError if no sequence of tags is left.
    """
    hmm = tagger.hmm(words)
    lattice, trace = rv.exact(hmm, pin=pin, forbid=forbid)
    baseline = [rv.posterior(rv.exact(hmm, record=False)[0]).label] if pin or forbid else None
    payload = build_payload(None, [Run("Exact", lattice, trace)], title=" ".join(words), baseline=baseline)
    return payload | {"editsLabels": True}


def _shares(lattice, i, shares):
    """Posterior by tag of a word, of the tags that it is offered."""
    offered = range(len(lattice.labels)) if lattice.choices is None else lattice.choices[i].tolist()
    return {lattice.labels[k]: float(p) for k, p in zip(offered, shares[i], strict=True) if k >= 0}


def _best_tags(shares, tag):
    """The tag of the best sequence, then the likeliest others, each with its posterior."""
    others = sorted((name for name in shares if name != tag and shares[name] > 0), key=lambda name: -shares[name])
    return [(name, shares[name]) for name in [tag, *others][:BEST]]


def _tag_with_reasons(tagger, words, i, tag, p):
    reasons = [[one.offset, one.feature, number(one.weight)] for one in tagger.reasons(words, i, tag)[:REASONS]]
    return {"tag": tag, "p": number(p), "reasons": reasons}
