"""What answers are worth: accuracy, confidence, curves, intervals, folds."""
