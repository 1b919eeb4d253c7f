"""What an arena keeps: its database, its records and log, and what of them is encrypted."""
