"""Alignment with indirect supervision: from phones to letters, with unobserved alignments."""
