"""The decipher view: emissions and message, pass by pass."""
