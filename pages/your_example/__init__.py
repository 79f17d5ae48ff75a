"""The page Your own example."""
