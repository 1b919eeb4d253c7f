"""Learners from logs: rankers that train on labels made of clicks; one a file."""
