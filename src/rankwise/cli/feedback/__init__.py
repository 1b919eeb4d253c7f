"""Commands about clicks: simulated users, logs, and learners from them."""
