"""Simulated users: who examines which position, clicks and stops; one model a file."""
