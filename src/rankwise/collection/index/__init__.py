"""The index: words of every stream of every document, on disk, memory-mapped."""
