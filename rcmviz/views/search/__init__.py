"""The views of searching and of learning to search: a search pop by pop, updates of a perceptron, roll-outs."""
