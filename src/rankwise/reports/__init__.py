"""Reports: figures as data, drawn by renderers; tables; the self-contained page."""
