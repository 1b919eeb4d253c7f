"""The arena in a browser: pages, forms, the HTTP API, the live view of a store."""
