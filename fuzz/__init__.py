"""Thousands of damaged files, odd links and odd arguments: ``python -m fuzz``; see README.md in this folder."""
