"""What to try first on new data: orders of methods by the dense table, times, and their check."""
