"""Decipherment: word ciphers read by EM, cryptograms of letters."""
