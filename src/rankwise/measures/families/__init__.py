"""One file per family of measures: its equation, and the compiled value of one ranked query."""
