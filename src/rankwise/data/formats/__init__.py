"""One file per layout that data come in."""
