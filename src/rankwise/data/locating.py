"""Where data are that somebody names: a path, or a data set of the catalogue in the data home."""

from __future__ import annotations

from pathlib import Path

from rankwise.files import is_there


def locate(data: str | Path) -> str | Path:
    """The path itself where anything is there, else what it names in the data home.

    A name is that of a data set, with its collection before it or not, then perhaps a version and
    the place of a file: `MQ2008`, `letor4/mq2008/Fold1/test.txt`, `OHSUMED/MIN/Fold1`. A known data
    set that is not installed is an error that says how to get it; what is no name stays as it is,
    for whoever reads it to say that it is not there.
    """
    if is_there(data):
        return data
    # The catalogue is read only where it may be needed.
    from rankwise.data.catalog.naming import find_in_home

    return find_in_home(data)
