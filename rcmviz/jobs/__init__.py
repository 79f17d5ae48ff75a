"""Trainings in the background of a page: start, pause, step, look at earlier states."""
