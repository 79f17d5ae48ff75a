"""Evaluation of answers: accuracy, confidence, curves, intervals, folds."""
