"""Two rankers in one list: who gets the clicks; one method a file."""
