"""Data sets: reading, writing, folds, normalization, checks, and the catalogue of known ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.data.added_features import AddedFeature as AddedFeature
    from rankwise.data.added_features import AddedFiles as AddedFiles
    from rankwise.data.added_features import add_feature as add_feature
    from rankwise.data.added_features import add_feature_to_files as add_feature_to_files
    from rankwise.data.catalog.documentation import UNKNOWN as UNKNOWN
    from rankwise.data.catalog.documentation import find_access as find_access
    from rankwise.data.catalog.documentation import format_count as format_count
    from rankwise.data.catalog.documentation import format_labels as format_labels
    from rankwise.data.catalog.download import MOST_BYTES as MOST_BYTES
    from rankwise.data.catalog.entries import CatalogEntry as CatalogEntry
    from rankwise.data.catalog.entries import catalog_entries as catalog_entries
    from rankwise.data.catalog.entries import find_entry as find_entry
    from rankwise.data.catalog.home import Installed as Installed
    from rankwise.data.catalog.home import find_part_file as find_part_file
    from rankwise.data.catalog.home import get_data_home as get_data_home
    from rankwise.data.catalog.home import list_installed as list_installed
    from rankwise.data.catalog.importing import import_dataset as import_dataset
    from rankwise.data.catalog.installing import fetch_dataset as fetch_dataset
    from rankwise.data.checking import DataProblem as DataProblem
    from rankwise.data.checking import check_dataset as check_dataset
    from rankwise.data.checking import check_parts as check_parts
    from rankwise.data.converting import convert as convert
    from rankwise.data.dataset import Dataset as Dataset
    from rankwise.data.dataset import Query as Query
    from rankwise.data.description import SHORT_QUERY as SHORT_QUERY
    from rankwise.data.description import Description as Description
    from rankwise.data.description import describe as describe
    from rankwise.data.feature_matching import ABSENT as ABSENT
    from rankwise.data.feature_matching import match_features as match_features
    from rankwise.data.feature_names import read_feature_names as read_feature_names
    from rankwise.data.file_checks import check as check
    from rankwise.data.file_checks import fold_files as fold_files
    from rankwise.data.file_checks import list_whole_files as list_whole_files
    from rankwise.data.file_features import FileFeatures as FileFeatures
    from rankwise.data.folds.cutting import cut_into_parts as cut_into_parts
    from rankwise.data.folds.fold import Fold as Fold
    from rankwise.data.folds.fold import check_folds as check_folds
    from rankwise.data.folds.fold import compose_fold as compose_fold
    from rankwise.data.folds.fold import compose_folds as compose_folds
    from rankwise.data.folds.reading import FoldFiles as FoldFiles
    from rankwise.data.folds.reading import find_folds as find_folds
    from rankwise.data.folds.reading import find_parts as find_parts
    from rankwise.data.folds.reading import read_fold as read_fold
    from rankwise.data.folds.reading import read_folds as read_folds
    from rankwise.data.folds.reading import read_parts as read_parts
    from rankwise.data.folds.splitting import split_folds as split_folds
    from rankwise.data.folds.writing import COMPRESSIONS as COMPRESSIONS
    from rankwise.data.folds.writing import NAMINGS as NAMINGS
    from rankwise.data.folds.writing import write_folds as write_folds
    from rankwise.data.formats.letor_writer import NUMBER_STYLES as NUMBER_STYLES
    from rankwise.data.formats.letor_writer import NumberStyle as NumberStyle
    from rankwise.data.formats.packed_layout import is_packed as is_packed
    from rankwise.data.formats.relation_files import attach_relations as attach_relations
    from rankwise.data.formats.scores import Scores as Scores
    from rankwise.data.formats.scores import read_scores as read_scores
    from rankwise.data.formats.scores import score_lines as score_lines
    from rankwise.data.formats.scores import write_scores as write_scores
    from rankwise.data.formats.trec import Run as Run
    from rankwise.data.formats.trec import read_qrels as read_qrels
    from rankwise.data.formats.trec import read_run as read_run
    from rankwise.data.joining import concatenate as concatenate
    from rankwise.data.joining import equally_wide as equally_wide
    from rankwise.data.normalization.filling import FILL_RULES as FILL_RULES
    from rankwise.data.normalization.filling import FillRule as FillRule
    from rankwise.data.normalization.filling import count_null as count_null
    from rankwise.data.normalization.filling import fill_null as fill_null
    from rankwise.data.normalization.filling import parse_fill_rule as parse_fill_rule
    from rankwise.data.normalization.registry import NORMALIZATIONS as NORMALIZATIONS
    from rankwise.data.normalization.registry import Normalization as Normalization
    from rankwise.data.normalization.registry import normalize as normalize
    from rankwise.data.normalization.scaling import Scaling as Scaling
    from rankwise.data.normalization.scaling import fit_scaling as fit_scaling
    from rankwise.data.normalized_files import normalize_files as normalize_files
    from rankwise.data.query_classes import with_query_classes as with_query_classes
    from rankwise.data.query_filtering import FilteredPart as FilteredPart
    from rankwise.data.query_filtering import QueryDrop as QueryDrop
    from rankwise.data.query_filtering import filter_files as filter_files
    from rankwise.data.query_filtering import filter_queries as filter_queries
    from rankwise.data.query_filtering import parse_drop as parse_drop
    from rankwise.data.reading import read as read
    from rankwise.data.reading import read_all as read_all
    from rankwise.data.relations import Relation as Relation
    from rankwise.data.sparse_features import SparseFeatures as SparseFeatures
    from rankwise.data.table_columns import TableColumns as TableColumns
    from rankwise.data.table_file import is_table as is_table
    from rankwise.data.table_file import name_columns_of as name_columns_of
    from rankwise.data.writing import write as write
else:
    homes = {
        "rankwise.data.added_features": (
            "AddedFeature",
            "AddedFiles",
            "add_feature",
            "add_feature_to_files",
        ),
        "rankwise.data.catalog.documentation": (
            "UNKNOWN",
            "find_access",
            "format_count",
            "format_labels",
        ),
        "rankwise.data.catalog.download": ("MOST_BYTES",),
        "rankwise.data.catalog.entries": ("CatalogEntry", "catalog_entries", "find_entry"),
        "rankwise.data.catalog.home": (
            "Installed",
            "find_part_file",
            "get_data_home",
            "list_installed",
        ),
        "rankwise.data.catalog.importing": ("import_dataset",),
        "rankwise.data.catalog.installing": ("fetch_dataset",),
        "rankwise.data.checking": ("DataProblem", "check_dataset", "check_parts"),
        "rankwise.data.converting": ("convert",),
        "rankwise.data.dataset": ("Dataset", "Query"),
        "rankwise.data.description": ("SHORT_QUERY", "Description", "describe"),
        "rankwise.data.feature_matching": ("ABSENT", "match_features"),
        "rankwise.data.feature_names": ("read_feature_names",),
        "rankwise.data.file_checks": ("check", "fold_files", "list_whole_files"),
        "rankwise.data.file_features": ("FileFeatures",),
        "rankwise.data.folds.cutting": ("cut_into_parts",),
        "rankwise.data.folds.fold": ("Fold", "check_folds", "compose_fold", "compose_folds"),
        "rankwise.data.folds.reading": (
            "FoldFiles",
            "find_folds",
            "find_parts",
            "read_fold",
            "read_folds",
            "read_parts",
        ),
        "rankwise.data.folds.splitting": ("split_folds",),
        "rankwise.data.folds.writing": ("COMPRESSIONS", "NAMINGS", "write_folds"),
        "rankwise.data.formats.letor_writer": ("NUMBER_STYLES", "NumberStyle"),
        "rankwise.data.formats.packed_layout": ("is_packed",),
        "rankwise.data.formats.relation_files": ("attach_relations",),
        "rankwise.data.formats.scores": ("Scores", "read_scores", "score_lines", "write_scores"),
        "rankwise.data.formats.trec": ("Run", "read_qrels", "read_run"),
        "rankwise.data.joining": ("concatenate", "equally_wide"),
        "rankwise.data.normalization.filling": (
            "FILL_RULES",
            "FillRule",
            "count_null",
            "fill_null",
            "parse_fill_rule",
        ),
        "rankwise.data.normalization.registry": ("NORMALIZATIONS", "Normalization", "normalize"),
        "rankwise.data.normalization.scaling": ("Scaling", "fit_scaling"),
        "rankwise.data.normalized_files": ("normalize_files",),
        "rankwise.data.query_classes": ("with_query_classes",),
        "rankwise.data.query_filtering": (
            "FilteredPart",
            "QueryDrop",
            "filter_files",
            "filter_queries",
            "parse_drop",
        ),
        "rankwise.data.reading": ("read", "read_all"),
        "rankwise.data.relations": ("Relation",),
        "rankwise.data.sparse_features": ("SparseFeatures",),
        "rankwise.data.table_columns": ("TableColumns",),
        "rankwise.data.table_file": ("is_table", "name_columns_of"),
        "rankwise.data.writing": ("write",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
