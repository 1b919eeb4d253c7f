"""From a corpus, queries and judgements to a LETOR data set, and back from its metadata."""
