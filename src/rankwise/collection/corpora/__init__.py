"""Corpora, queries and judgements as they come: readers of many formats, one kind of result."""
