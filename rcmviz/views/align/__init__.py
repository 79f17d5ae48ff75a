"""The views of alignment: phones, letters, the cells between them, and how strategies learn."""
