"""The page ARS."""
