"""Commands about methods, their models and their features."""
