"""Frame by frame: what a classifier with a blank (CTC) says, read with a language model."""
