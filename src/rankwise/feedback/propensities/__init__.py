"""Chances that a position is examined, estimated from logs; one method a file."""
