"""A class: a teacher leads, the browsers of students follow, and their answers are counted."""
