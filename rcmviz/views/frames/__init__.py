"""Frames with a blank: what was read of them, frame by frame."""
