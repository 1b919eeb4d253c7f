"""Labels and scores by query: from data sets, files, frames, arrays and dictionaries."""
