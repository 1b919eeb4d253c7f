"""What others published: tables as printed, citations, flags, and checks for what is doubtful."""
