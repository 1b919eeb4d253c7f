"""Charts drawn on the server as SVG: read without a script, coloured by the page's own style."""
