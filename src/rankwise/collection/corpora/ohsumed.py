"""OHSUMED's own format: SMART-like records of MEDLINE references (Hersh et al. 1994).

`.I` is a running number and `.U` the MEDLINE identifier, which the judgements of TREC-9 name;
`.T` is the title, `.W` the abstract, `.A` the authors, `.M` the MeSH terms, `.S` the source; `.P`,
the kind of publication, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.smart import name_fields, read_smart_records

STREAMS = {"T": "title", "W": "abstract", "A": "author", "M": "mesh", "S": "source"}
_MARKS = b"UTWAMSP"


def read_ohsumed(path: Path) -> Iterator[Document | Broken]:
    """The references of a file, named by `.U`; by `.I` where a reference has no `.U`."""
    for record in read_smart_records(path, _MARKS):
        where = f"{path}:{record.line}"
        identifier = record.fields.get("U", "").strip() or record.id
        if record.problem or not identifier:
            nameless = "a reference must have '.I' or '.U', found neither"
            yield Broken(where, record.problem or nameless)
        else:
            yield Document(identifier, name_fields(record, STREAMS), where=where)
