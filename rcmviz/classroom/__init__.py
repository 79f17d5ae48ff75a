"""A class: a teacher leads, the browsers of a room follow, and what they answer is counted."""
