"""Alignments of frames and labels with a blank between (CTC): one frame, sums over all, single outputs."""
