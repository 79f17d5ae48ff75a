"""Words and utterances, their phones, errors of files and words."""

import gzip

import numpy as np
import pytest

from rcmviz.data import registry
from rcmviz.tasks.speech import examples
from rcmviz.tasks.speech.examples import Channel
from rcmviz.tasks.speech.pronunciations import LEXICON, PHONES

COUNTS = "underlying\tobserved\tcount\nt\tt\t60\nt\t-\t30\nt\tdx\t10\nah0\tah\t100\n-\tn\t20\n"


@pytest.fixture
def nothing_here(monkeypatch, tmp_path):
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path))
    monkeypatch.setattr(registry, "cache_dir", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def some_data(nothing_here):
    """Put a small dictionary, utterances and counts in place of the real data."""
    lines = {
        "cmudict/cmudict.dict": "cat K AE1 T\ncat(2) K AA1 T # rare\ndog D AO1 G\n"
        "sat S AE1 T\n'bout B AW1 T\nthe DH AH0\n",
        "speech/speechocean762_text-phone": "u1.0 DH_B AH0_E\nu1.1 K_B AE1_I T_E\nu2.0 D_B AO1_I G_E\n",
        "speech/speechocean762_train_text": "u1\tTHE CAT\nu3\tTHE CAT\n",
        "speech/speechocean762_test_text": "u2\tDOG\n",
        "speech/buckeye_counts_cmu.tsv": COUNTS,
    }
    for name, text in lines.items():
        path = nothing_here / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return nothing_here


def test_an_empty_file_of_a_data_set_is_named(some_data):
    for name, read in (("cmudict/cmudict.dict", examples.dictionary), ("speech/buckeye_counts_cmu.tsv", Channel.read)):
        (some_data / name).write_text("")
        with pytest.raises(ValueError, match=name):
            read()


def test_the_lexicon_is_learnt_from_without_any_data(nothing_here):
    loaded, again, other = examples.load(), examples.load(), examples.load(seed=1)
    assert len(loaded.train) + len(loaded.test) == len(LEXICON) >= 150
    assert loaded.train.phones == loaded.test.phones == PHONES and len(PHONES) == 39
    texts = [[part.text(w) for w in range(len(part))] for part in (loaded.train, again.train, other.train, loaded.test)]
    assert texts[0] == texts[1] != texts[2] and not set(texts[0]) & set(texts[3])
    assert all(LEXICON[text] == loaded.train.phone_names(w) for w, text in enumerate(texts[0]))


@pytest.mark.parametrize("source", ["words", "utterances"])
def test_missing_data_names_the_command_that_downloads_it(nothing_here, source):
    with pytest.raises(ValueError, match="not on this machine"):
        examples.load(source)


def test_words_are_those_of_the_dictionary_that_occur_in_utterances(some_data):
    loaded = examples.load("words", train=2, test=1)
    texts = {part.text(w): part.phone_names(w) for part in (loaded.train, loaded.test) for w in range(len(part))}
    assert texts == {"cat": ("K", "AE", "T"), "dog": ("D", "AO", "G"), "the": ("DH", "AH")}
    with pytest.raises(ValueError, match="746 .* 253 .* 3"):
        examples.load("words")


def test_utterances_come_once_and_through_the_channel(some_data):
    loaded = examples.load("utterances", train=1, test=1)
    texts = {loaded.train.text(0), loaded.test.text(0)}
    assert texts == {"the cat", "dog"}
    same = examples.load("utterances", train=1, test=1)
    assert same.train.phone.tolist() == loaded.train.phone.tolist()


def test_the_channel_says_what_was_counted(tmp_path):
    path = tmp_path / "counts.tsv"
    path.write_text(COUNTS)
    channel, draws = examples.Channel.read(path), 4000
    heard = channel.say(["T"] * draws, np.random.default_rng(0))
    for phone, share in (("T", 0.6), ("DX", 0.1), ("N", 20 / 200)):
        assert heard.count(phone) / draws == pytest.approx(share, abs=0.03)
    assert channel.say(["ZH"], np.random.default_rng(1))[0] == "ZH"


def test_phones_are_read_and_refused():
    assert examples.spoken(" hh AH0 l ow1 ") == ("HH", "AH", "L", "OW")
    assert examples.spoken("hh, ah,l") == ("HH", "AH", "L")
    with pytest.raises(ValueError, match="^QQ: .*AA AE"):
        examples.spoken("K QQ")
    with pytest.raises(ValueError, match="^0, Q: "):
        examples.spoken("0 K q")
    with pytest.raises(ValueError, match="no phones"):
        examples.spoken("   ")


def test_a_word_without_a_pronunciation(nothing_here, some_data):
    assert examples.pronunciation(" Phone ") == LEXICON["phone"] and examples.pronunciation("sat") == ("S", "AE", "T")
    with pytest.raises(ValueError, match="'xyzzy' .*phones"):
        examples.pronunciation("xyzzy")
    with pytest.raises(ValueError, match="don't"):
        examples.pronunciation("don't")


def test_a_word_without_a_dictionary(nothing_here):
    with pytest.raises(ValueError, match="rcmviz data get cmudict"):
        examples.pronunciation("xyzzy")


def test_files_of_words(tmp_path):
    path = tmp_path / "words.dict"
    path.write_text("\n;;; mine\nhello HH AH0 L OW1 # greeting\n\nBye\tB AY1\n")
    assert examples.read_pairs(path) == [(("HH", "AH", "L", "OW"), "hello"), (("B", "AY"), "bye")]
    assert len(examples.read_speech(path).train) == 1
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().lstrip())
    assert examples.read_pairs(path) == [(("HH", "AH", "L", "OW"), "hello"), (("B", "AY"), "bye")]
    packed = tmp_path / "words.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert examples.read_pairs(packed) == examples.read_pairs(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "no words; write one a line"),
        ("hello\n", "line 1: 'hello': no phones"),
        ("no N OW\nextraordinary N OW\n", "line 2: 'extraordinary': 13 letters for 2 phones: at most 6"),
        ("no\0 N OW\n", "line 1: .* a sign that cannot be printed"),
        ("a AH\nhello HH XX\n", "line 2: 'hello': XX: not in ARPAbet"),
    ],
)
def test_errors_of_a_file_name_the_line(tmp_path, text, message):
    path = tmp_path / "words.dict"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        examples.read_pairs(path)


def test_other_pronunciations_and_words_that_begin_with_a_hash(tmp_path):
    path = tmp_path / "words.dict"
    path.write_bytes(b"# a remark\r;;; mine\rtomato T AH M EY T OW\rTOMATO(2) T AH M AA T OW # so too\r#ok HH AE SH\r")
    pairs = examples.read_pairs(path)
    assert [word for _, word in pairs] == ["tomato", "tomato", "#ok"] and pairs[1][0][3] == "AA"
    for seed in range(4):  # pronunciations of a word stay together
        loaded = examples.read_speech(path, seed)
        assert loaded.remarks == pairs.remarks == ("2 comments skipped",)
        assert {len(loaded.train), len(loaded.test)} == {1, 2}


def test_entries_that_cannot_be_aligned_are_skipped_and_named(tmp_path):
    path = tmp_path / "words.dict"
    path.write_text("cat K AE T\nw D AH B AH L Y UW\ndog D AO G\nhat\nhut HH AH T\n")
    pairs = examples.read_pairs(path)
    assert [word for _, word in pairs] == ["cat", "dog", "hut"]
    assert pairs.remarks[0].startswith(
        "2 of 5 entries skipped: line 2: 'w': 1 letter for 7 phones: at least 3 are needed; "
    )
    assert "; line 4: 'hat': no phones" in pairs.remarks[0]
    path.write_text("w D AH B AH L Y UW\n" * 25 + "cat K AE T\n")
    with pytest.raises(ValueError, match="line 1: 'w': .*; line 20: 'w': .*; and 5 more"):
        examples.read_pairs(path)


def test_a_file_that_cannot_be_learnt_from(tmp_path):
    path = tmp_path / "words.dict"
    with pytest.raises(ValueError, match="cannot read"):
        examples.read_pairs(path)
    path.write_bytes(b"no N OW\n\xff\xfe")
    with pytest.raises(ValueError, match="line 2: not UTF-8"):
        examples.read_pairs(path)
    path.write_bytes(b"\x1f\x8brubbish")
    with pytest.raises(ValueError, match="gzip"):
        examples.read_pairs(path)
    path.write_text("".join(f"{chr(0x4E00 + k)} N OW\n" for k in range(99)), encoding="utf-8")
    with pytest.raises(ValueError, match=r"words\.dict: .*1 to 62"):
        examples.read_speech(path)
    path.write_text("one W AH N\n")
    with pytest.raises(ValueError, match="one word"):
        examples.read_speech(path)
    with pytest.raises(ValueError, match="source 'talk'"):
        examples.load("talk")
