"""Helpers of several test files: browser, command line, links, small trainings."""
