"""The data sets that the field knows: facts, addresses, checksums, fetching and importing."""

from rankwise.data.catalog.entries import CatalogEntry as CatalogEntry
from rankwise.data.catalog.entries import entries as entries
from rankwise.data.catalog.entries import find as find
