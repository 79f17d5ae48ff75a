"""English text as words, under the names that tasks have used; ``rcmviz.lm.english`` defines them."""

from rcmviz.lm.english import split_words, treebank_words

__all__ = ["split_words", "treebank_words"]
