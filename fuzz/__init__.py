"""Damaged files, odd links and odd arguments, tried by the thousand: ``python -m fuzz``; see README.md beside this."""
