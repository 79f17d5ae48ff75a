"""The views of Markov fields over whole texts: how the bound is lifted, and what is asked of a field."""
