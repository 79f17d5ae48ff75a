"""The paper's figures again: what is trained, what came out beside what the paper says, as table, figure and JSON."""
