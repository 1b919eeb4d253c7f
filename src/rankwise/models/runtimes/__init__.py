"""What scores exported files: the real runtime where there is one, else our reading of it."""
