"""Commands that build data sets from corpora."""
