"""The data card of a build: what was made, from what, with which choices, and what was odd."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.collection.corpora.document import Findings
from rankwise.collection.features.feature_sets import FeatureSet
from rankwise.collection.index.index import Index, compute_digest
from rankwise.data.dataset import Dataset
from rankwise.data.dataset_description import label_counts
from rankwise.errors import FormatError
from rankwise.files import compute_checksum, read_bounded, write_text

if TYPE_CHECKING:
    from rankwise.collection.building import Settings
    from rankwise.collection.document_sampling import QueryFacts

CARD = "data-card.json"
CARD_FOR_PEOPLE = "data-card.md"
_LIBRARIES = ("rankwise", "numpy", "scipy", "snowballstemmer", "PyStemmer")

Record = dict[str, Any]


@dataclass(frozen=True)
class DataCard:
    """Facts about a build.

    Attributes:
        name: of the data set.
        origins: where corpus, queries and judgements come from and how they were read.
        findings: what was odd about them.
        facts: everything else, known when the build is complete.
    """

    name: str
    origins: Record
    findings: Findings
    facts: Record = field(default_factory=dict)

    def completed(
        self,
        index: Index,
        dataset: Dataset,
        features: FeatureSet,
        settings: Settings,
        queries: Sequence[QueryFacts],
        left_out: dict[str, list[str]],
    ) -> DataCard:
        """The card with what came out, and with features that did not, by what they need."""
        facts: Record = {
            "documents_in_corpus": index.n_documents,
            "links": len(index.links[1]),
            "index_digest": _digest_index(index),
            "streams": [asdict(stream) for stream in index.statistics.streams],
            "analysis": index.manifest.analysis,
            "sampling": _describe_sampling(settings, queries),
            "rows": dataset.n_documents,
            "queries": dataset.n_queries,
            "labels": label_counts(dataset),
            "feature_set": features.name,
            "parameters": {n.rstrip("_"): v for n, v in asdict(features.parameters).items()},
            "features": features.described,
            **features.own_parts,
            "left_out": left_out,
            "null_values": int(np.count_nonzero(np.isnan(dataset.features))),
            "filling": features.fill_rule.name,
            "folds": describe_folds(settings.seed),
            "made_with": _find_versions(),
        }
        return replace(self, facts=facts)

    def as_record(self) -> Record:
        """The card as JSON holds it."""
        return {
            "name": self.name,
            **self.origins,
            **self.facts,
            "findings": self.findings.as_record(),
        }


def write_data_card(home: Path, card: DataCard) -> None:
    """`data-card.md` for people, then `data-card.json` with digests of the other files there."""
    record = card.as_record()
    record["files"] = _digest_files(home)
    write_text(home / CARD_FOR_PEOPLE, _make_writable(_format_page(card)))
    write_text(home / CARD, _make_writable(json.dumps(record, indent=1, ensure_ascii=False)) + "\n")


def describe_file(path: Path) -> dict[str, object]:
    """Where a file of the input is, and the SHA-256 of what it holds."""
    return {"origin": str(path), "sha256": compute_checksum(path)}


def read_data_card(home: str | Path) -> Record:
    """The card of a complete build, with what every build has: features, their set, sampling."""
    record = read_card(home)
    read_feature_names(record, Path(home) / CARD)
    if not (isinstance(record.get("feature_set"), str) and _is_sampling(record.get("sampling"))):
        raise refuse_card(Path(home) / CARD)
    return record


def read_feature_names(card: Record, path: Path) -> tuple[str, ...]:
    """The names of the features on a card that was read from `path`."""
    try:
        return tuple(str(entry["name"]) for entry in card["features"])
    except (KeyError, TypeError) as error:
        raise refuse_card(path) from error


def format_left_out(left_out: dict[str, list[str]]) -> list[str]:
    """Features that a data set does not have, in words."""
    return [f"left out: {', '.join(names)}; they need {need}" for need, names in left_out.items()]


def describe_folds(seed: int | None) -> str:
    """How the queries of the folds were drawn, as the card says it."""
    return "runs of queries" if seed is None else f"seed {seed}"


def parse_fold_seed(card: Record) -> int | None:
    """What drew the folds of a build, from its card; None where they are runs of queries."""
    word, _, number = str(card.get("folds", "")).partition(" ")
    return int(number) if word == "seed" and number.isdecimal() else None


def read_card(home: str | Path) -> Record:
    """The card of a data set, of a build or of features computed again."""
    path = Path(home) / CARD
    content = read_bounded(path, 1 << 28, "data card")
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise refuse_card(path) from error
    if not isinstance(record, dict):
        raise refuse_card(path)
    return record


def refuse_card(path: Path) -> FormatError:
    """What to raise where a file is no data card."""
    return FormatError("the file must be the data card of a build", path)


def _is_sampling(found: object) -> bool:
    """Whether a part of a card is what `_sampling` makes, as far as it is read again."""
    if not (isinstance(found, dict) and isinstance(found.get("stream"), str)):
        return False
    return isinstance(found.get("depth"), int) or found.get("method") == "judged"


def _digest_index(index: Index) -> str:
    """Of the digests of all files of the index: the words, ids, URLs and links of the corpus."""
    files = json.dumps(index.manifest.files, sort_keys=True).encode()
    return hashlib.blake2b(files, digest_size=16).hexdigest()


def _describe_sampling(settings: Settings, queries: Sequence[QueryFacts]) -> Record:
    sampling = settings.sampling
    judged = sum(query.relevant_judged for query in queries)
    found = sum(query.relevant_sampled for query in queries)
    return {
        "method": sampling.method,
        "depth": None if sampling.method == "judged" else sampling.depth,
        "stream": sampling.stream,
        "k1": sampling.parameters.k1,
        "b": sampling.parameters.b,
        "k3": sampling.parameters.k3,
        "relevant_judged": judged,
        "relevant_sampled": found,
    }


def _find_versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def _digest_files(home: Path) -> dict[str, str]:
    files = sorted(path for path in home.rglob("*") if path.is_file())
    return {path.relative_to(home).as_posix(): compute_digest(path) for path in files}


def _make_writable(text: str) -> str:
    """What is not Unicode (names of files may be anything) as JSON escapes it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _format_page(card: DataCard) -> str:
    facts = card.facts
    sampling = facts["sampling"]
    parts = [
        f"# {card.name}",
        f"{facts['queries']:,} queries, {facts['rows']:,} rows, {len(facts['features'])} features, "
        f"from {facts['documents_in_corpus']:,} documents with {facts['links']:,} links.",
        _format_list("From", {**_flatten(card.origins), "index, digest": facts["index_digest"]}),
        _format_list("Words", facts["analysis"]),
        _format_list(
            "Streams",
            {s["description"]: f"{s['total_terms']:,} words" for s in facts["streams"]},
        ),
        _format_list("Sampling", sampling),
        _format_list("Labels", facts["labels"]),
        _format_list(
            f"Features: {facts['feature_set']}",
            {**facts["parameters"], **_describe_own_parts(facts)},
        ),
        "\n".join(
            f"{f['number']}. {f['name']} ({f['category']}): {f['formula']}"
            for f in facts["features"]
        ),
        "\n".join(f"- {line}" for line in format_left_out(facts["left_out"])),
        _format_list(
            "Folds", {"queries drawn by": facts["folds"], "NULL filled by": facts["filling"]}
        ),
        _format_list("Made with", facts["made_with"]),
        "## Findings",
        "\n".join(f"- {line}" for line in card.findings.lines()) or "None.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _describe_own_parts(facts: Record) -> Record:
    """Feature files and query classes in words, where there are any."""
    files = [f"{file['origin']} ({file['digest']})" for file in facts.get("feature_files", ())]
    classes = [f"{name} = {number}" for name, number in facts.get("query_classes", {}).items()]
    parts = {"feature_files": ", ".join(files), "query_classes": ", ".join(classes)}
    return {name: text for name, text in parts.items() if text}


def _flatten(record: Record) -> Record:
    return {
        f"{outer}, {inner}": value
        for outer, entry in record.items()
        for inner, value in entry.items()
    }


def _format_list(title: str, entries: Record) -> str:
    lines = "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in entries.items())
    return f"## {title}\n\n{lines}"
