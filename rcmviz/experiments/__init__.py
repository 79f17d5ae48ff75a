"""One module per figure or table of the papers, and sweeps."""
