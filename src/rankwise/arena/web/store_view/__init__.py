"""The live view of a store of results: a running bench in a browser, read-only."""
