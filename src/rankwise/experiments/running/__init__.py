"""Where tasks run: processes of this machine, or the workers of a Dask cluster."""
