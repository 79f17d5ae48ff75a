"""Adaptive rejection sampling: an automaton that is refined until what it says of a sequence is true."""
