"""Learning to search: SEARN, DAgger, LOLS and gold prefixes, policies that take an action per position."""
