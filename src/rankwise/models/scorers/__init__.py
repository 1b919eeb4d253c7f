"""The forms that learned ranking functions take; all they need to score is in them."""
