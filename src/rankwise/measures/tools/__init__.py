"""One file per evaluation tool: a named bundle of conventions."""
