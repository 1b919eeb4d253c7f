"""Methods that learn which of two documents comes first."""
