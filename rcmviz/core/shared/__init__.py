"""Helpers of all packages for values, files, arrays, logs and numbers in sentences."""
