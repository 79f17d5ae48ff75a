"""The page Field."""
