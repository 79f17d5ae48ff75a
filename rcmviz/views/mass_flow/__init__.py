"""The animated picture of where each method's mass goes, position by position."""
