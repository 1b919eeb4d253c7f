"""The data sets that the field knows: facts, addresses, checksums, fetching and importing."""

from rankwise.data.catalog.entries import CatalogEntry as CatalogEntry
from rankwise.data.catalog.entries import catalog_entries as catalog_entries
from rankwise.data.catalog.entries import find_entry as find_entry
