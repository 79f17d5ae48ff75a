"""Tagged sentences of the built-in grammar: every word has a tag, and the words are those of its sentences."""

from rcmviz.tasks.decipher import grammar
from rcmviz.tasks.tagging import sentences


def test_every_word_of_the_grammar_has_a_tag_and_no_other_word_has():
    written = {
        (word, rule)
        for rule, (ways, _) in grammar._rules().items()
        for way in ways
        for word in way
        if word not in grammar._rules()
    }
    known = sentences._tags()
    assert {word for word, _ in written} | {"an"} == known.keys() | {word for word, _ in sentences._ELSEWHERE}
    assert sentences._ELSEWHERE.keys() <= written
    for word in {word for word, _ in written} - known.keys():
        assert all((word, rule) in sentences._ELSEWHERE for other, rule in written if other == word)


def test_the_words_are_those_of_the_sentences():
    found = sentences.tagged_sentences(50, seed=4)
    assert [tuple(word for word, _ in one) for one in found] == grammar.sentences(50, seed=4)


def test_a_word_is_what_its_rule_makes_of_it():
    tags = {(word, tag) for one in sentences.tagged_sentences(2_000, seed=1) for word, tag in one}
    assert {("that", "CONJ"), ("that", "DET"), ("when", "CONJ"), ("when", "ADV")} <= tags
