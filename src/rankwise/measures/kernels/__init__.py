"""The compiled values, until C takes their place."""
