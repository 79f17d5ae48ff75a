"""The lattice and its trace: their tables, checks and files, how they are printed and edited."""
