"""Kernels of language models: look-ups in the reverse trie, sections of an ARPA file."""
