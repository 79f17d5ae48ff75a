"""What Step, Compare and Your own example share: the word, the methods, the edits, the player."""
