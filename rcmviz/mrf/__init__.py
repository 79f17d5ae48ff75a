"""Markov random fields over whole texts, learnt by lifted bounds (Jernite, Rush and Sontag 2015)."""
