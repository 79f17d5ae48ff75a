"""Smoothing: from counts to interpolated probabilities that sum to one after every context, cut-offs or not.

Every rule splits the mass a(hw) of an n-gram in a part that it keeps and a part that it gives away:

    p(w | h) = kept(hw) / a(h) + γ(h) p(w | h without its first word),   γ(h) = Σ_w given(hw) / a(h)

with a(h) = Σ_w kept(hw) + given(hw). An n-gram that is cut off gives everything away, so the sums stay one, and γ(h) is
the back-off weight of an ARPA file. Below single words lies the uniform distribution over all words but `<s>`: whatever
single words give away is divided equally, also among words that never occur, `<unk>` among them.

- ``kneser-ney`` (modified; Chen & Goodman 1999): a(hw) is how many different words stand before hw; the count at the
  highest order and where hw begins with `<s>`. Given: D₁, D₂, D₃ for an a(hw) of 1, 2, 3 and more.
- ``absolute`` (Ney, Essen & Kneser 1994): a(hw) is the count; given: D.
- ``witten-bell`` (Witten & Bell 1991): kept is the count; given: 1.
"""

from typing import NamedTuple

import numpy as np

SMOOTHINGS = ("kneser-ney", "witten-bell", "absolute")
SMALL_DATA = (0.5, 1.0, 1.5)  # KenLM's --discount_fallback, where counts of counts tell no discounts


def kneser_ney_discounts(mass):
    """(D₁, D₂, D₃) of one order from the masses a(hw) of its n-grams, Chen & Goodman 1999, eq. 26.

    (0.5, 1, 1.5) where they are not defined (no n-gram of mass 1, 2, 3 or 4) or not in (0, k] for D_k.

    >>> kneser_ney_discounts(np.array([1] * 8 + [2] * 4 + [3] * 2 + [4]))
    (0.5, 1.25, 2.0)
    >>> kneser_ney_discounts(np.array([1, 2, 3]))
    (0.5, 1.0, 1.5)
    """
    n = np.bincount(np.minimum(mass, 5), minlength=6)[1:5].astype(float)
    if n.min() == 0:
        return SMALL_DATA
    y = n[0] / (n[0] + 2 * n[1])
    found = tuple(k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3))
    return tuple(map(float, found)) if all(discount > 0 for discount in found) else SMALL_DATA


def absolute_discount(mass):
    """D = n₁ / (n₁ + 2 n₂) of one order; 0.5 where no n-gram has mass 1, or none mass 2 (Ney et al. 1994).

    >>> absolute_discount(np.array([1, 1, 2, 5])), absolute_discount(np.array([1, 1]))
    (0.5, 0.5)
    """
    once, twice = int(np.sum(mass == 1)), int(np.sum(mass == 2))
    return once / (once + 2 * twice) if once and twice else 0.5


def masses(ngrams, longer, smoothing):
    """a(hw) of the n-grams of one order before anything is given away, (M,); ``longer``: those of the order above."""
    if smoothing != "kneser-ney" or longer is None:
        return ngrams.count
    before = np.bincount(longer.suffix, minlength=len(ngrams))
    return np.where(before > 0, before, ngrams.count)


class Split(NamedTuple):
    """The masses that n-grams keep and that they give to the order below, and the discounts."""

    kept: np.ndarray
    given: np.ndarray
    discounts: tuple


def split(mass, smoothing, discount=None):
    """The ``Split`` of n-grams with masses ``mass``; words that never occur keep and give nothing."""
    seen = mass > 0
    if smoothing == "witten-bell":
        return Split(mass.astype(float), seen.astype(float), ())
    if smoothing == "absolute":
        discounts = (absolute_discount(mass) if discount is None else float(discount),)
    else:
        discounts = kneser_ney_discounts(mass)
    by_mass = np.array([0.0, *discounts])
    given = by_mass[np.minimum(mass, len(discounts))]
    return Split(mass - given, given, discounts)


def interpolate(ngrams, kept, given, shorter):
    """(p of the n-grams (M,), γ of the contexts), one step up from ``shorter``, p of all n-grams of the order below.

    A context that nothing follows has γ = 1.
    """
    contexts = len(shorter)
    total = np.bincount(ngrams.prefix, kept + given, contexts)
    back_off = np.bincount(ngrams.prefix, given, contexts)
    back_off = np.divide(back_off, total, out=np.ones(contexts), where=total > 0)
    return kept / total[ngrams.prefix] + back_off[ngrams.prefix] * shorter[ngrams.suffix], back_off
