"""The page of a report: what it holds, and its script and style."""
