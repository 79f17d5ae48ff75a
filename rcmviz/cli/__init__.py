"""The command line: one file a command or family of commands; ``main`` puts them together."""
