"""Methods that learn the order of a whole list."""
