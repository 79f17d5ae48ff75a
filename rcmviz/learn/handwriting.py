"""The two shipped models: handwriting of people (Kassel's letters) and of the pen."""

from rcmviz.learn.likelihood import train_rcms
from rcmviz.tasks import handwriting, pen

TEST_FOLD = 1
PEN_WORDS = 6_000


def handwriting_words(source, seed=0):
    """``(train, test)`` words: ``"kassel"`` (needs the data set) or ``"pen"`` (6,000 words written with this seed)."""
    if source not in ("kassel", "pen"):
        raise ValueError(f"data {source!r}: choose kassel or pen")
    words = handwriting.load_words() if source == "kassel" else pen.pen_words(PEN_WORDS, seed)
    return handwriting.split(words, TEST_FOLD)


def train_handwriting(source, *, grid="8x4", order=3, budget=10, epochs=20, seed=0):
    """Train on all folds but fold 1; yields one ``State`` per epoch whose model says where it comes from."""
    words, _ = handwriting_words(source)
    info = {
        "name": f"handwriting-{source}", "source": source, "grid": grid, "words": len(words), "test_fold": TEST_FOLD,
        "budget": budget, "epochs": epochs, "seed": seed,
        "command": f"rcmviz train handwriting --data {source} --grid {grid} --order {order} --budget {budget} "
        f"--epochs {epochs} --seed {seed}",
    }  # fmt: skip
    features = [handwriting.features(word.images, grid) for word in words]
    gold = [word.letters for word in words]
    yield from train_rcms(
        features, gold, handwriting.LETTERS, order=order, budget=budget, epochs=epochs, seed=seed, info=info
    )
