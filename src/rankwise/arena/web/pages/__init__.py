"""Pages as text: each function asks the arena and fills one template."""
