"""Published results, each with its citation, and checks for what is doubtful in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.literature.checking import find_suspicions as find_suspicions
    from rankwise.literature.citations import Citation as Citation
    from rankwise.literature.citations import cite as cite
    from rankwise.literature.citations import cite_source as cite_source
    from rankwise.literature.citations import cite_sources as cite_sources
    from rankwise.literature.citations import cite_table as cite_table
    from rankwise.literature.citations import find_citation as find_citation
    from rankwise.literature.citations import find_citations as find_citations
    from rankwise.literature.citations import split_sources as split_sources
    from rankwise.literature.condensing import condense_store as condense_store
    from rankwise.literature.dense import is_dense as is_dense
    from rankwise.literature.dense import read_dense as read_dense
    from rankwise.literature.dense import write_dense as write_dense
    from rankwise.literature.dense_table import DenseData as DenseData
    from rankwise.literature.dense_table import DenseQueries as DenseQueries
    from rankwise.literature.dense_table import DenseRun as DenseRun
    from rankwise.literature.dense_table import DenseTable as DenseTable
    from rankwise.literature.marks import MARK_KINDS as MARK_KINDS
    from rankwise.literature.marks import Mark as Mark
    from rankwise.literature.marks import MarkKind as MarkKind
    from rankwise.literature.marks import find_marks as find_marks
    from rankwise.literature.marks import leave_out_marked as leave_out_marked
    from rankwise.literature.marks import read_marks as read_marks
    from rankwise.literature.method_names import name_in_survey as name_in_survey
    from rankwise.literature.method_names import name_ranker as name_ranker
    from rankwise.literature.papers import Papers as Papers
    from rankwise.literature.papers import find_papers as find_papers
    from rankwise.literature.published_checks import PlacedSuspicion as PlacedSuspicion
    from rankwise.literature.published_checks import PublishedCheck as PublishedCheck
    from rankwise.literature.published_checks import check_published as check_published
    from rankwise.literature.reasons import PAPER_MEASURES as PAPER_MEASURES
    from rankwise.literature.shipped import SHIPPED as SHIPPED
    from rankwise.literature.shipped import ShippedTable as ShippedTable
    from rankwise.literature.shipped import find_shipped as find_shipped
    from rankwise.literature.shipped import read_shipped as read_shipped
    from rankwise.literature.shipped import read_shipped_rows as read_shipped_rows
    from rankwise.literature.shipped import read_table_4 as read_table_4
    from rankwise.literature.shipped import read_table_a5 as read_table_a5
    from rankwise.literature.shipped import read_table_b6 as read_table_b6
    from rankwise.literature.shipped_facts import ShippedFacts as ShippedFacts
    from rankwise.literature.shipped_facts import choose_rows as choose_rows
    from rankwise.literature.shipped_facts import describe_shipped as describe_shipped
    from rankwise.literature.suspicion import REASONS as REASONS
    from rankwise.literature.suspicion import Suspicion as Suspicion
    from rankwise.literature.suspicion import SuspicionKind as SuspicionKind
else:
    homes = {
        "rankwise.literature.checking": ("find_suspicions",),
        "rankwise.literature.citations": (
            "Citation",
            "cite",
            "cite_source",
            "cite_sources",
            "cite_table",
            "find_citation",
            "find_citations",
            "split_sources",
        ),
        "rankwise.literature.condensing": ("condense_store",),
        "rankwise.literature.dense": ("is_dense", "read_dense", "write_dense"),
        "rankwise.literature.dense_table": ("DenseData", "DenseQueries", "DenseRun", "DenseTable"),
        "rankwise.literature.marks": (
            "MARK_KINDS",
            "Mark",
            "MarkKind",
            "find_marks",
            "leave_out_marked",
            "read_marks",
        ),
        "rankwise.literature.method_names": ("name_in_survey", "name_ranker"),
        "rankwise.literature.papers": ("Papers", "find_papers"),
        "rankwise.literature.published_checks": (
            "PlacedSuspicion",
            "PublishedCheck",
            "check_published",
        ),
        "rankwise.literature.reasons": ("PAPER_MEASURES",),
        "rankwise.literature.shipped": (
            "SHIPPED",
            "ShippedTable",
            "find_shipped",
            "read_shipped",
            "read_shipped_rows",
            "read_table_4",
            "read_table_a5",
            "read_table_b6",
        ),
        "rankwise.literature.shipped_facts": ("ShippedFacts", "choose_rows", "describe_shipped"),
        "rankwise.literature.suspicion": ("REASONS", "Suspicion", "SuspicionKind"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
