"""Learners that choose what users are shown and learn from what they click; one a file."""
