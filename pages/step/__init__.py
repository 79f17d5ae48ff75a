"""The page Step."""
