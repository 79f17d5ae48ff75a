"""What the pages share: settings and links, runs, what-if edits, and the views below the player."""
