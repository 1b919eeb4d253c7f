"""Results: tables in long form, one row a value, and the store that experiments write them to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.results.completeness import Comparable as Comparable
    from rankwise.results.completeness import find_comparable as find_comparable
    from rankwise.results.completeness import join_sentences as join_sentences
    from rankwise.results.completeness import keep_comparable as keep_comparable
    from rankwise.results.kept_files import extract_kept as extract_kept
    from rankwise.results.kept_files import list_kept as list_kept
    from rankwise.results.kept_files import read_kept_scores as read_kept_scores
    from rankwise.results.merging import keep_one_per_cell as keep_one_per_cell
    from rankwise.results.merging import merge_results as merge_results
    from rankwise.results.merging import stack_results as stack_results
    from rankwise.results.mlflow_runs import export_runs as export_runs
    from rankwise.results.reading import inspect_results as inspect_results
    from rankwise.results.reading import read_results as read_results
    from rankwise.results.store import Store as Store
    from rankwise.results.store import is_store as is_store
    from rankwise.results.store_connection import DamagedStore as DamagedStore
    from rankwise.results.store_damage import Damage as Damage
    from rankwise.results.store_damage import StoreVerification as StoreVerification
    from rankwise.results.store_questions import choose_measures as choose_measures
    from rankwise.results.store_questions import describe_task as describe_task
    from rankwise.results.store_questions import verify_store as verify_store
    from rankwise.results.store_records import KeptItem as KeptItem
    from rankwise.results.store_records import Part as Part
    from rankwise.results.store_records import StoredTask as StoredTask
    from rankwise.results.store_records import StoredValue as StoredValue
    from rankwise.results.store_records import Subject as Subject
    from rankwise.results.store_records import TaskName as TaskName
    from rankwise.results.store_records import TaskOutcome as TaskOutcome
    from rankwise.results.store_records import TaskValue as TaskValue
    from rankwise.results.store_records import Tried as Tried
    from rankwise.results.store_records import ValueChange as ValueChange
    from rankwise.results.store_records import name_subjects as name_subjects
    from rankwise.results.store_values import make_table as make_table
    from rankwise.results.table import ResultTable as ResultTable
    from rankwise.results.validation import Inspection as Inspection
    from rankwise.results.validation import Problem as Problem
    from rankwise.results.validation import TableError as TableError
    from rankwise.results.validation import find_problems as find_problems
    from rankwise.results.versions import separate_versions as separate_versions
    from rankwise.results.wide import WideLayout as WideLayout
    from rankwise.results.writing import format_csv as format_csv
    from rankwise.results.writing import format_json_lines as format_json_lines
    from rankwise.results.writing import format_tsv as format_tsv
    from rankwise.results.writing import write_results as write_results
else:
    homes = {
        "rankwise.results.completeness": (
            "Comparable",
            "find_comparable",
            "join_sentences",
            "keep_comparable",
        ),
        "rankwise.results.kept_files": ("extract_kept", "list_kept", "read_kept_scores"),
        "rankwise.results.merging": ("keep_one_per_cell", "merge_results", "stack_results"),
        "rankwise.results.mlflow_runs": ("export_runs",),
        "rankwise.results.reading": ("inspect_results", "read_results"),
        "rankwise.results.store": ("Store", "is_store"),
        "rankwise.results.store_connection": ("DamagedStore",),
        "rankwise.results.store_damage": ("Damage", "StoreVerification"),
        "rankwise.results.store_questions": ("choose_measures", "describe_task", "verify_store"),
        "rankwise.results.store_records": (
            "KeptItem",
            "Part",
            "StoredTask",
            "StoredValue",
            "Subject",
            "TaskName",
            "TaskOutcome",
            "TaskValue",
            "Tried",
            "ValueChange",
            "name_subjects",
        ),
        "rankwise.results.store_values": ("make_table",),
        "rankwise.results.table": ("ResultTable",),
        "rankwise.results.validation": ("Inspection", "Problem", "TableError", "find_problems"),
        "rankwise.results.versions": ("separate_versions",),
        "rankwise.results.wide": ("WideLayout",),
        "rankwise.results.writing": (
            "format_csv",
            "format_json_lines",
            "format_tsv",
            "write_results",
        ),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
