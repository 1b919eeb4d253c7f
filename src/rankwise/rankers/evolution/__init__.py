"""Populations of ranking functions that vary and are selected by a measure."""
