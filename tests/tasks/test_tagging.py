"""Emissions by endings, taggers and their files, shorter models, English text as words, shipped models by kind."""

import itertools
import json
import math
import pickle
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.models.shipped import model_folder
from rcmviz.data.registry import find
from rcmviz.lm.shipped import load_lm, shipped_lms
from rcmviz.lm.shorten import shorten
from rcmviz.tasks.english import split_words, treebank_words
from rcmviz.tasks.tagging import suffix_emissions
from rcmviz.tasks.tagging.shipped import load_tagger, shipped_taggers
from rcmviz.tasks.tagging.suffix_emissions import SuffixEmissions
from rcmviz.tasks.tagging.tagger import Tagger, read_tagged

TREEBANK = [
    ("The dog barks .", "DT NN VBZ ."),
    ("A cat runs", "DT NN VBZ"),
    ("Dogs run .", "NNS VBP ."),
    ("I run the run .", "PRP VBP DT NN ."),
    ("Barking dogs bark", "VBG NNS VBP"),
]
TREEBANK = [(words.split(), tags.split()) for words, tags in TREEBANK]


@pytest.fixture(scope="module")
def tagger():
    return Tagger.fit(TREEBANK, 4, info={"name": "small"})


def p_tag_given_word(sentences, word, theta, blend):
    """{tag: p(tag | word)}, by Brants' formula and the blend of known words, with dicts and loops."""
    pairs = [pair for words, tags in sentences for pair in zip(words, tags, strict=True)]
    prior = Counter(tag for _, tag in pairs)
    frequency, seen = Counter(w for w, _ in pairs), defaultdict(Counter)
    for w, tag in pairs:
        seen[w][tag] += 1
    p = {tag: count / len(pairs) for tag, count in prior.items()}
    for size in range(min(len(word), 10) + 1):
        among = Counter()
        for w in frequency:
            alike = len(w) >= size and w[len(w) - size :] == word[len(word) - size :]
            if frequency[w] <= 10 and alike and w[:1].isupper() == word[:1].isupper():
                among += seen[w]
        if not among:
            break
        p = {tag: (among[tag] / among.total() + theta * p[tag]) / (1 + theta) for tag in p}
    known = word if word in frequency else word.lower()
    if known in frequency:
        n = frequency[known]
        p = {tag: (seen[known][tag] + blend * p[tag]) / (n + blend) for tag in p}
    return p, frequency.get(known, 1), prior, len(pairs)


words = st.text("abA1", min_size=1, max_size=12)
tagged = st.lists(st.lists(st.tuples(words, st.sampled_from("DNV")), min_size=1, max_size=6), min_size=1, max_size=8)


@problems_of(80)
@given(tagged, words, st.sampled_from([0.0, 0.03, 1.0]), st.sampled_from([0.0, 0.3, 2.0]))
def test_emissions_are_their_definition(rows, word, theta, blend):
    sentences = [tuple(map(list, zip(*row, strict=True))) for row in rows]
    emissions = SuffixEmissions.fit(sentences, theta=theta, blend=blend)
    p, frequency, prior, total = p_tag_given_word(sentences, word, theta, blend)
    tags, log_obs = emissions.candidates(word, prune=0.0)
    assert set(tags) == {tag for tag in p if p[tag] > 0}
    expected = [p[tag] * (frequency / total) / (prior[tag] / total) for tag in tags]
    np.testing.assert_allclose(np.exp(log_obs), expected, rtol=1e-6)
    kept, _ = emissions.candidates(word, prune=0.2)
    surely, perhaps = ({tag for tag in p if p[tag] > 0.2 * max(p.values()) * (1 + e)} for e in (1e-6, -1e-6))
    assert surely <= set(kept) <= perhaps, "one exactly at the limit falls to either side"


def test_rare_words_alone_have_endings():
    common = [(["ably"] * 11 + ["oddly"], ["X"] * 11 + ["Y"])]
    p = SuffixEmissions.fit(common, theta=0.0).by_ending("sadly")
    assert p.tolist() == [0.0, 1.0], "`ably` is too common to tell what ends in -ly"


def test_brants_weight_is_the_standard_deviation_of_the_tags():
    emissions = SuffixEmissions.fit(TREEBANK, theta=None)
    shares = list(Counter(tag for _, tags in TREEBANK for tag in tags).values())
    mean = 1 / len(shares)
    variance = sum((share / sum(shares) - mean) ** 2 for share in shares) / (len(shares) - 1)
    assert emissions.theta == pytest.approx(math.sqrt(variance))
    assert SuffixEmissions.fit([(["a"], ["X"])], theta=None).theta == 0.0


def test_words_that_cannot_be_learnt_from_say_why():
    with pytest.raises(ValueError, match="sentence 2 has 2 words but 1 tags"):
        Tagger.fit([TREEBANK[0], (["a", "b"], ["X"])])
    with pytest.raises(ValueError, match="no words"):
        Tagger.fit([])


def test_the_best_tags_are_those_of_enumeration(tagger):
    words = ["The", "Cat", "barks", "run"]
    candidates, log_obs = tagger.candidates(words, prune=0.0)
    lm, scores = tagger.lm_of(3), {}
    for tags in itertools.product(*map(range, map(len, candidates))):
        names = [column[y] for column, y in zip(candidates, tags, strict=True)]
        history, total = ["<s>"], 0.0
        for i, name in enumerate(names):
            total += lm.log_prob(name, history) + log_obs[i][tags[i]]
            history.append(name)
        scores[tuple(names)] = total + lm.log_prob("</s>", history)
    best = max(scores, key=scores.get)
    for method in ("ars", "exact", "beam", "rcms"):
        found = tagger.tag(words, 3, method, budget=3000, prune=0.0)
        assert found.tags == best and found.log_score == pytest.approx(scores[best], abs=1e-4), method
    assert found.known == (True, False, True, True) and found.gap is None
    total = np.logaddexp.reduce(list(scores.values()))
    for i, row in enumerate(tagger.marginals(words, 3, n=4000, seed=1, prune=0.0)):
        assert sum(share for _, share in row) == pytest.approx(1)
        for tag, share in row:
            exact = sum(math.exp(score - total) for names, score in scores.items() if names[i] == tag)
            assert abs(share - exact) < 4.5 * math.sqrt(exact * (1 - exact) / 4000) + 1e-3


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_lower_orders_are_models_of_their_own(order, tagger):
    shorter = tagger.lm_of(order)
    trained = rv.train_lm([tags for _, tags in TREEBANK], order, "witten-bell", (0,), unknown=False)
    assert shorter.order == order and shorter.counts == trained.counts
    for history in itertools.product(["<s>", "NN", "DT"], repeat=order):
        for word in shorter.vocabulary:
            assert shorter.log_prob(word, history) == pytest.approx(trained.log_prob(word, history), abs=1e-6)
            assert shorter.max_log_prob(word, history) == pytest.approx(trained.max_log_prob(word, history), abs=1e-6)


@pytest.mark.parametrize("order", [0, 5, 2.0, True, "2"])
def test_orders_that_a_model_has_not_are_refused(order, tagger):
    with pytest.raises(ValueError, match=f"order {order!r}: .*1 to 4"):
        shorten(tagger.lm, order)


def test_invalid_sentences_are_refused(tagger):
    for words in ("the dog", [], ["the", ""], 3, ["the", 3]):
        with pytest.raises(ValueError, match="list of words"):
            tagger.tag(words)


def test_accuracy_counts_known_and_unknown_words(tagger):
    gold = [(["The", "dog", "barks", "."], ["DT", "NN", "VBZ", "X"]), (["Dogs", "walk"], ["NNS", "X"])]
    found = tagger.accuracy(gold, 2)
    assert (found.words, found.unknown_words, found.unknown) == (6, 1, 0.0)
    assert found.all == pytest.approx(4 / 6) and found.known == pytest.approx(4 / 5)
    assert math.isnan(tagger.accuracy(gold[:1]).unknown)


def test_a_tagger_is_kept(tagger, tmp_path):
    path = tmp_path / "t.npz"
    tagger.save(path)
    again = load_tagger(path)
    assert again.info == {"name": "small"} and again.lm.counts == tagger.lm.counts
    for words, _ in TREEBANK:
        assert again.tag(words, 4) == tagger.tag(words, 4)
        np.testing.assert_array_equal(again.candidates(words)[1][0], tagger.candidates(words)[1][0])


def test_damaged_files_are_refused(tagger, tmp_path):
    path = tmp_path / "t.npz"
    tagger.save(path)
    whole, parts = path.read_bytes(), dict(np.load(path))
    for kept in (0, 20, len(whole) // 2):
        path.write_bytes(whole[:kept])
        with pytest.raises(ValueError, match=r"t\.npz"):
            Tagger.load(path)
    header = json.loads(bytes(parts["header"]))
    later = np.frombuffer(json.dumps(header | {"version": 9}).encode(), np.uint8)
    for name, value, message in (
        ("header", later, "it is a rcmviz/tagger of version 9"),
        ("header", np.zeros(3, np.uint8), "not a tagger"),
        ("words", None, "it has no 'words"),
        ("tag", parts["tag"] + 1000, "its counts do not fit"),
        ("offset", parts["offset"][:-1], "its counts do not fit"),
        ("count", parts["count"].astype(float) / 0.3, "its counts do not fit"),
        ("ngrams_2", parts["ngrams_2"] + 999, "outside the vocabulary"),
    ):
        changed = {key: array for key, array in (parts | {name: value}).items() if array is not None}
        np.savez(path, **changed)
        with pytest.raises(ValueError, match=message):
            Tagger.load(path)
    path.write_bytes(pickle.dumps({"tags": "X"}))
    with pytest.raises(ValueError, match="pickle"):
        Tagger.load(path)


CONLLU = """# text = I can't
1\tI\tI\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_

1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_
"""


def test_treebanks_are_read(tmp_path):
    path = tmp_path / "small.conllu"
    path.write_text(CONLLU)
    assert read_tagged(path, "upos") == [(["I", "ca", "n't"], ["PRON", "AUX", "PART"]), (["Go"], ["VERB"])]
    with pytest.raises(ValueError, match="small.conllu, line 8: .*XPOS"):
        read_tagged(path)
    with pytest.raises(ValueError, match="tags 'pos': .*upos, xpos"):
        read_tagged(path, "pos")
    with pytest.raises(ValueError, match="a.txt: .*CoNLL-U"):
        read_tagged("a.txt")


def test_english_is_split_as_the_models_have_it():
    assert split_words("“Tom’s well-known,” he said…") == ['"', "tom's", "well-known", ",", '"', "he", "said", "..."]
    assert split_words("At 10.30, $5_") == ["at", "10.30", ",", "$", "5", "_"] and split_words(" \n") == []
    assert treebank_words("He'll say I'm Dr. Who's") == ["He", "'ll", "say", "I", "'m", "Dr.", "Who", "'s"]
    assert treebank_words("Cannot pay 5%? :)") == ["Can", "not", "pay", "5", "%", "?", ":)"]
    assert treebank_words("see www.a.org/b!!! in the 20th-century U.S.") == [
        "see",
        "www.a.org/b!!!",
        "in",
        "the",
        "20th",
        "-",
        "century",
        "U.S.",
    ]


def test_shipped_models_are_distinguished_by_kind():
    assert shipped_lms() == ["lm-english-characters", "lm-english-words"] and shipped_taggers() == ["tagger-ewt"]
    assert not {*shipped_lms(), *shipped_taggers()} & set(rv.shipped_models())
    assert load_lm("lm-english-words").order == 3
    assert set(load_lm("lm-english-characters").vocabulary) == {"<unk>", "<s>", "</s>", "_", *map(chr, range(97, 123))}
    message = "choose lm-english-characters, lm-english-words, or a path to an ARPA or .npz file"
    for name, start in (
        ("lm-french", "no shipped language model 'lm-french'"),
        ("none.arpa", "none.arpa: no such file"),
    ):
        with pytest.raises(ValueError, match=f"{start}[:;] {message}"):
            load_lm(name)
    with pytest.raises(ValueError, match="'handwriting-pen': .*tagger-ewt"):
        load_tagger("handwriting-pen")


def test_the_shipped_tagger_knows_english():
    tagger = load_tagger("tagger-ewt")
    found = tagger.tag(treebank_words("He wasn't blorbing slowly."))
    assert found.tags == ("PRP", "VBD", "RB", "VBG", "RB", ".") and found.gap == 0.0
    assert found.known == (True, True, True, False, True, True)
    assert tagger.lm.order == 9 and tagger.info["tags"] == "xpos"


@pytest.mark.skipif(find("ud_ewt", "en_ewt-ud-dev.conllu") is None, reason="UD-EWT is not on this machine")
def test_the_shipped_tagger_is_as_good_as_its_card_says():
    dev = read_tagged(find("ud_ewt", "en_ewt-ud-dev.conllu"))
    found = load_tagger("tagger-ewt").accuracy(dev, 3)
    card = (model_folder() / "tagger-ewt.md").read_text(encoding="utf-8")
    row = f"| 3 | {found.all:.4f} | {found.known:.4f} | {found.unknown:.4f} |".replace(" 0.", " .")
    assert row in card and (found.words, found.unknown_words) == (25147, 2088)


def test_answers_are_remembered_within_bounds(monkeypatch):
    monkeypatch.setattr(suffix_emissions, "REMEMBERED", 2)
    emissions = SuffixEmissions.fit(TREEBANK)
    for word in ("dog", "cat", "runs", "dog"):
        emissions.candidates(word)
    assert emissions._remembered.cache_info().currsize == 2
    assert emissions.candidates("dog")[1].flags.writeable is False
