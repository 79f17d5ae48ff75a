"""Messages typed on a phone's keypad."""
