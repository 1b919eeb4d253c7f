"""Rankers: the methods of the papers behind one interface. Pure: no disk, no printing."""
