"""The data sets that the field knows: facts, addresses, sums, fetching and importing."""
