"""Every reader of files that is fuzzed, by name; another one is one line in one of these."""

from __future__ import annotations

from tests.fuzz.collection_readers import COLLECTION_READERS
from tests.fuzz.other_readers import OTHER_READERS
from tests.fuzz.shared_readers import SHARED_READERS
from tests.fuzz.table_readers import TABLE_READERS
from tests.fuzz.text_readers import TEXT_READERS

READERS = {**TEXT_READERS, **TABLE_READERS, **COLLECTION_READERS, **OTHER_READERS, **SHARED_READERS}

COMPILED = tuple(TEXT_READERS)
"""Those that read in C; these are also run with sanitizers."""
