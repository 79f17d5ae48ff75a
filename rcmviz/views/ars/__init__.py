"""The views of adaptive rejection: rounds, automaton, comparison."""
