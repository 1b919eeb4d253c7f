"""Commands about data sets as files."""
