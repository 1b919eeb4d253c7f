"""Rankers around any other ranker, which they train and whose model theirs holds."""
