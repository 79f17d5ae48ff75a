"""The player: one word, position by position, by one or several methods; and the pad."""
