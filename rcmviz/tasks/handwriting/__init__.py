"""Handwriting: the words of letter.data, and words that a pen of ours writes."""
