"""The page Decipher."""
