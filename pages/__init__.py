"""The pages of the application: one folder a page, and what they share."""
