"""The pen: the same word from the same seed, letters that fill their box, drawings, links."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import LogisticRegression

from rcmviz.tasks.handwriting import pen
from rcmviz.tasks.handwriting.letter_data import LETTERS, features
from rcmviz.tasks.handwriting.lexicon import LEXICON
from rcmviz.tasks.handwriting.pen import (
    decode_images,
    encode_images,
    fit,
    pen_words,
    rasterise,
    word_from_images,
    word_from_strokes,
    write_word,
)
from rcmviz.tasks.handwriting.strokes import SKELETONS

# One line per letter. Links to pen-written words and the shipped model rest on these pixels.
GOLDEN = (
    "0000003060381870c0f01e0300000000"
    "0000020e3b216141c382c64c78000000"
    "00008098bcb4b4b6a282828381810000"
    "00001828644642467cc0c187bce00000"
)

letter_images = hnp.arrays(np.uint8, st.tuples(st.integers(1, 5), st.just(16), st.just(8)), elements=st.integers(0, 1))


def height_and_width(image):
    return np.ptp(np.flatnonzero(image.any(axis=1))) + 1, np.ptp(np.flatnonzero(image.any(axis=0))) + 1


def test_a_seed_writes_the_same_pixels_for_ever():
    assert encode_images(write_word("zone", seed=3).images) == GOLDEN


def test_a_seed_writes_the_same_word_and_another_seed_another():
    first, again, other = write_word("context", 5), write_word("CONTEXT", 5), write_word("context", 6)
    assert first.letters == again.letters == "context" and first.source == "pen"
    np.testing.assert_array_equal(first.images, again.images)
    assert (first.images != other.images).any()


def test_letters_do_not_change_when_others_are_added():
    np.testing.assert_array_equal(write_word("context", 5).images[:4], write_word("cont", 5).images)


def test_letters_vary_but_look_like_their_writer():
    images = write_word("eeeeeeee", 11, noise=0).images
    assert (images[0] != images[1]).any()
    others = np.stack([write_word("e", seed, noise=0).images[0] for seed in range(40)])
    within = (images[:, None] != images[None]).mean()
    assert within < 0.8 * (others[:, None] != others[None]).mean()


def test_without_jitter_and_noise_equal_letters_are_equal():
    images = write_word("aa", 2, jitter=0, noise=0).images
    np.testing.assert_array_equal(images[0], images[1])


def test_the_settings_do_what_they_say():
    upright, leaning = (write_word("l", 3, jitter=0, noise=0, slant=slant).images[0] for slant in (0.0, 0.4))
    assert height_and_width(leaning)[1] > height_and_width(upright)[1]
    thin, thick = (write_word("o", 3, noise=0, thickness=thickness).images for thickness in (1.0, 2.5))
    assert thick.sum() > 1.3 * thin.sum()
    clean, noisy = (write_word("context" * 20, 3, noise=noise).images for noise in (0.0, 0.1))
    assert 0.08 < (clean != noisy).mean() < 0.12


@pytest.mark.parametrize("letter", LETTERS)
def test_every_variant_of_every_letter_fills_its_box(letter):
    for skeleton in SKELETONS[letter]:
        height, width = height_and_width(rasterise(fit(skeleton, 1.2), 1.2))
        assert height >= 15 or width >= 7


def test_the_pen_looks_like_kassels_letters():
    """Ink and mean heights and widths are near those of the real letters."""
    words = pen_words(300, seed=8)
    images = np.concatenate([word.images for word in words])
    letters = np.array(list("".join(word.letters for word in words)))
    assert 0.20 < images.mean() < 0.24
    clean = np.stack([write_word(letter, seed, noise=0).images[0] for letter in "imb" for seed in range(60)])
    sizes = np.array([height_and_width(image) for image in clean]).reshape(3, 60, 2).mean(axis=1)
    np.testing.assert_allclose(sizes, [[15.8, 4.1], [6.8, 8.0], [14.9, 7.6]], atol=2.0)
    assert set(letters) == set(LETTERS)


def test_single_letters_are_about_as_hard_as_kassels():
    """Logistic regression reads about as many letters as of Kassel's data, 0.47; chance is 0.1."""
    words = pen_words(600, seed=3)
    pixels = features(np.concatenate([word.images for word in words]))
    letters = np.array(list("".join(word.letters for word in words)))
    classifier = LogisticRegression(max_iter=100, tol=1e-2).fit(pixels[:2000], letters[:2000])
    assert 0.40 < classifier.score(pixels[2000:], letters[2000:]) < 0.56


@pytest.mark.parametrize(
    ("text", "message"), [("naïve é", "' ', 'é', 'ï'"), ("r2d2", "'2'"), ("", "nothing to write"), ("a b", "' '")]
)
def test_texts_that_cannot_be_written(text, message):
    with pytest.raises(ValueError, match=message):
        write_word(text)


@pytest.mark.parametrize(
    "settings",
    [
        {"seed": -1},
        {"seed": 0.5},
        {"seed": "one"},
        {"noise": float("nan")},
        {"noise": 0.6},
        {"jitter": -1},
        {"slant": 3.0},
        {"thickness": 0.5},
        {"thickness": float("inf")},
    ],
)
def test_settings_out_of_range_are_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        write_word("a", **settings)


def test_a_word_of_two_hundred_letters_is_written():
    assert write_word("ab" * 100, 1).images.shape == (200, 16, 8)


def test_pen_words_take_turns_in_the_folds():
    words = pen_words(25, seed=4)
    assert [word.fold for word in words] == [index % 10 for index in range(25)]
    assert [word.index for word in words] == list(range(25))
    assert all(word.letters in LEXICON for word in words)
    again, other = pen_words(25, seed=4), pen_words(25, seed=5)
    assert all((a.images == b.images).all() for a, b in zip(words, again, strict=True))
    assert [word.letters for word in words] != [word.letters for word in other]
    assert pen_words(0) == []
    with pytest.raises(ValueError, match="0 or more"):
        pen_words(-1)


def test_the_lexicon():
    assert 280 <= len(LEXICON) <= 350 and len(set(LEXICON)) == len(LEXICON)
    assert all(3 <= len(word) <= 12 and set(word) <= set(LETTERS) for word in LEXICON)
    assert set("".join(LEXICON)) == set(LETTERS)


def test_rasterise_draws_a_line_where_it_is():
    image = rasterise([np.array([[0.5 / 8, 0.0], [0.5 / 8, 1.0]])], 1.0)
    assert image.dtype == np.uint8 and image[:, 0].all() and image.sum() == 16
    image = rasterise([np.array([[0.0, 0.5], [1.0, 0.5]])], 2.8)  # y = 8, between two rows, 1.4 to each side
    assert image[7:9].all() and image.sum() == 16


def brute_force(strokes, thickness):
    """Ink by the definition: the distance from each centre to 2,000 points of each segment."""
    image = np.zeros((16, 8), bool)
    for stroke in strokes:
        points = np.asarray(stroke) * (8, 16)
        t = np.linspace(0, 1, 2000)[:, None]
        dense = np.concatenate([a + t * (b - a) for a, b in zip(points[:-1], points[1:], strict=True)])
        for row, column in np.ndindex(16, 8):
            image[row, column] |= np.hypot(*(dense - (column + 0.5, row + 0.5)).T).min() <= thickness / 2
    return image


def test_rasterise_agrees_with_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        strokes, thickness = [rng.random((4, 2)), rng.random((2, 2))], 1 + 2 * rng.random()
        near_the_edge = brute_force(strokes, thickness + 0.01) != brute_force(strokes, thickness - 0.01)
        differs = rasterise(strokes, thickness) != brute_force(strokes, thickness)
        assert not (differs & ~near_the_edge).any()


def test_a_dot_is_never_lost():
    for x, y in ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.3, 0.7)):
        assert rasterise([np.array([[x, y]])], 1.0).any()


def test_a_drawing_fills_its_box_and_keeps_its_proportions():
    circle = [[100 + 50 * np.cos(t), 300 + 50 * np.sin(t)] for t in np.linspace(0, 6.3, 50)]
    line = [[10, 10], [12, 210]]
    bar = [[0, 5], [100, 5]]
    word = word_from_strokes([[circle], [line], [bar], [[[7, 7]]]])
    assert word.letters == "" and word.source == "drawn" and len(word) == 4
    assert [height_and_width(image) for image in word.images] == [(8, 8), (16, 2), (2, 8), (2, 2)]
    rows = np.flatnonzero(word.images[0].any(axis=1))
    assert rows[0] == 4 and rows[-1] == 11  # in the middle
    twice = word_from_strokes([[(7 * np.array(circle) - 1000).tolist()]])
    np.testing.assert_array_equal(twice.images[0], word.images[0])


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ([], "nothing is drawn: draw"),
        ([[], []], "nothing is drawn: draw"),
        ([[[[0, 0], [1, 1]]], []], "letter 2 is empty: draw it"),
        ([[[]]], "letter 1: a stroke is a list of points"),
        ([[[[0, 0], [1]]]], "letter 1: a stroke"),
        ([[[[0, 0, 0]]]], "letter 1: a stroke"),
        ([[[[0, float("nan")]]]], "letter 1: a stroke"),
        ([[["ab"]]], "letter 1: a stroke"),
    ],
)
def test_invalid_drawings_are_refused(drawing, message):
    with pytest.raises(ValueError, match=message):
        word_from_strokes(drawing)


@given(letter_images)
def test_a_link_gives_the_drawing_back(images):
    text = encode_images(images)
    assert len(text) == 32 * len(images) and text.isalnum()
    np.testing.assert_array_equal(decode_images(text), images)
    np.testing.assert_array_equal(word_from_images(decode_images(text.upper())).images, images)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "0 digits"), ("ab", "2 digits"), ("0" * 33, "33 digits"), ("g" * 32, "not 'g'"), (" " * 32, "hexadecimal")],
)
def test_links_that_are_nonsense(text, message):
    with pytest.raises(ValueError, match=message):
        decode_images(text)


def test_invalid_images_have_no_link():
    with pytest.raises(ValueError, match="letter images"):
        encode_images(np.zeros((2, 8, 4)))


def test_long_strokes_are_drawn_in_blocks(monkeypatch):
    strokes = [np.random.default_rng(0).random((count, 2)) for count in (1, 2, 30)]
    whole = [pen.rasterise([stroke], 1.3) for stroke in strokes]
    for block in 1, 7, 28, 29:
        monkeypatch.setattr(pen, "_BLOCK", block)
        assert all((pen.rasterise([stroke], 1.3) == image).all() for stroke, image in zip(strokes, whole, strict=True))
