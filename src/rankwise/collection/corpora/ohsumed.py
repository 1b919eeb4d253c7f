"""OHSUMED's own format: SMART-like records of MEDLINE references (Hersh et al. 1994).

`.I` is a running number and `.U` the MEDLINE identifier, which the judgements of TREC-9 name;
`.T` is the title, `.W` the abstract, `.A` the authors, `.M` the MeSH terms, `.S` the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.smart import smart_records

STREAMS = {"T": "title", "W": "abstract", "A": "author", "M": "mesh", "S": "source"}


def read_ohsumed(path: Path) -> Iterator[Document | Broken]:
    """The references of a file, named by `.U`; by `.I` where a reference has no `.U`."""
    for line, number, fields in smart_records(path):
        identifier = fields.get("U", "").strip() or number
        if not identifier:
            yield Broken(f"{path}:{line}", "a reference must have '.I' or '.U', found neither")
            continue
        streams = {name: fields[key] for key, name in STREAMS.items() if key in fields}
        yield Document(identifier, streams)
