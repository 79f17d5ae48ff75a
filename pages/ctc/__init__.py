"""The page CTC."""
