"""Methods that learn the label of one document at a time."""
