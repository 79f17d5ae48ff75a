"""Trainings that run beside a page: started, paused, stepped, looked back at."""
