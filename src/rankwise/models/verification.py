"""Verification scores an exported file again and compares the scores with those of its model.

The certificate of an exported model says what was found out about its scores, and by whom. Beside
an exported FILE stand FILE.features.json, the feature definitions; FILE.golden.csv, rows with the
model's scores; and FILE.certificate.json, the certificate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise import __version__
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import Advice, RankwiseError
from rankwise.models.formats.format import OpenedExport, Treatment, find_export, open_export
from rankwise.models.golden_rows import (
    GROUPS,
    GoldenRows,
    OrderChanges,
    ScoreAgreement,
    compare_scores,
    count_order_changes,
    read_golden_rows,
)
from rankwise.models.model import Model
from rankwise.models.model_file import from_text, parse_json, read_model_bytes
from rankwise.tables.notebook import Rows, Tabular, shortened

# Of the largest score: beyond it is another model, not rounding in single or double precision.
_ROUNDING = {True: 1e-4, False: 1e-9}


@dataclass(frozen=True, eq=False)
class ExpectedScores:
    """What an exported file should give: a model, the constant left out, and golden rows."""

    model: Model | None
    left_out: float
    golden: GoldenRows


@dataclass(frozen=True)
class ExportAgreement:
    """How well scores agree on golden rows by group, and on data where these are given."""

    golden: Mapping[str, ScoreAgreement]
    data: DataAgreement | None


@dataclass(frozen=True)
class ExportVerification(Tabular):
    """What scoring an exported file again has shown.

    Attributes:
        file: the exported file, `target` its layout.
        computed_by: who scored.
        ran: whether that is the real runtime.
        changed: whether the file is another one than its certificate describes.
        agrees: whether the file is the one that its certificate describes, and every row scores as
            the model does up to rounding, or where the reader treats features otherwise as near to
            it as the certificate says.
        golden: agreement on the golden rows, by group.
        data: agreement on the data that were given.
        certificate: what was found out when the file was written.
    """

    file: str
    target: str
    computed_by: str
    ran: bool
    changed: bool
    agrees: bool
    golden: Mapping[str, ScoreAgreement]
    data: DataAgreement | None
    certificate: Certificate

    def __repr__(self) -> str:
        verdict = "agrees" if self.agrees else "does not agree"
        return shortened(f"{self.file} ({self.target}) {verdict}, {self.computed_by}")

    def _table(self) -> Rows:
        titles = ("rows of", "rows", "equal", "greatest difference", "unlike")
        groups = dict(self.golden)
        if self.data is not None:
            groups[self.data.file] = self.data.scores
        return titles, [
            (name, one.rows, one.equal, one.greatest_difference, one.unlike)
            for name, one in groups.items()
        ]


def verify_export(
    export: str | Path,
    data: Dataset | str | Path | None = None,
    *,
    model: str | Path | None = None,
) -> ExportVerification:
    """Score golden rows, and data, from an exported file and compare with its model.

    The real runtime scores where there is one on this machine, else our reading of the engine's
    arithmetic; `computed_by` says which. Exported C and Python are compiled and run.

    Args:
        export: the exported file, with its certificate and golden rows beside it.
        data: a data set whose scores and orders are compared too; needs the model.
        model: the model file, where it is not where the certificate says.
    """
    path, certificate = Path(export), read_certificate(export)
    target = find_export(certificate.target)
    text = read_model_bytes(file_beside(export, GOLDEN)).decode("utf-8", "replace")
    golden = read_golden_rows(text, len(certificate.features))
    original = None if data is None else _find_model(path, certificate, model)
    opened = open_export(target, path, certificate.features)
    scores = ExpectedScores(original, certificate.left_out, golden)
    found = compare_with_export(scores, opened, data)
    changed = sha256(read_model_bytes(path)).hexdigest() != certificate.sha256
    return ExportVerification(
        file=str(export),
        target=target.name,
        computed_by=opened.how,
        ran=opened.ran,
        changed=changed,
        agrees=not changed and _agrees(found, certificate, target.treatment),
        golden=found.golden,
        data=found.data,
        certificate=certificate,
    )


def compare_with_export(
    scores: ExpectedScores, opened: OpenedExport, data: Dataset | str | Path | None
) -> ExportAgreement:
    """Golden rows by group, and data, as the opened file scores them."""
    golden = scores.golden
    found = _scored_data(opened, golden.features) + scores.left_out
    by_group = {
        group: compare_scores(golden.scores[own], found[own])
        for group in GROUPS
        if (own := golden.of_group(group)).any()
    }
    if data is None or scores.model is None:
        return ExportAgreement(by_group, None)
    return ExportAgreement(by_group, _compare_on_data(scores.model, scores.left_out, opened, data))


def _agrees(found: ExportAgreement, certificate: Certificate, treatment: Treatment) -> bool:
    """Whether all rows score as certified, and those of which nothing is, as the model does.

    Golden rows that nobody could score when the file was written are judged where the treatment
    leaves them alone. Rows of data are judged in any case: they are what will be served.
    """
    lost = treatment.lost_groups if not certificate.golden else ()
    pairs = [
        (one, certificate.golden.get(group))
        for group, one in found.golden.items()
        if group not in lost
    ]
    if found.data is not None:
        own = certificate.data
        same = own is not None and (own.file, own.scores.rows) == (
            found.data.file, found.data.scores.rows,
        )  # fmt: skip
        pairs.append((found.data.scores, own.scores if own is not None and same else None))
    rounding = _ROUNDING[treatment.single]
    return all(_as_near(one, certified, rounding) for one, certified in pairs)


def _as_near(found: ScoreAgreement, certified: ScoreAgreement | None, rounding: float) -> bool:
    unlike, difference = 0, 0.0
    if certified is not None:
        unlike, difference = certified.unlike, certified.greatest_difference
    allowed = max(difference, rounding * found.largest_score)
    return found.unlike <= unlike and found.greatest_difference <= allowed


def _compare_on_data(
    model: Model, left_out: float, opened: OpenedExport, data: Dataset | str | Path
) -> DataAgreement:
    rows = data if isinstance(data, Dataset) else read(data)
    rows = rows.ordered_as(model.feature_names, "the model")
    expected = model.score(rows)
    found = _scored_data(opened, rows.features) + left_out
    return DataAgreement(
        file="data" if isinstance(data, Dataset) else str(data),
        with_null=int(np.isnan(rows.features).any(axis=1).sum()),
        scores=compare_scores(expected, found),
        orders=count_order_changes(rows.query_offsets, expected, found),
    )


def _scored_data(opened: OpenedExport, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    found = opened.score(rows)
    if found.shape != (len(rows),):
        raise RankwiseError(
            f"an exported file must give one score a row, {len(rows)}, found the shape "
            f"{found.shape} ({opened.how})"
        )
    return found


def _find_model(path: Path, certificate: Certificate, given: str | Path | None) -> Model:
    place = path.parent / certificate.model if given is None else Path(given)
    advice = Advice("name it: {}", "model", "MODEL")
    if not place.exists():
        raise RankwiseError(f"data are compared with the model, found no {place}", advice)
    content = read_model_bytes(place)
    if sha256(content).hexdigest() != certificate.model_sha256:
        raise RankwiseError(f"{place} is not the model that {path} was written from", advice)
    return from_text(content).model


CERTIFICATE_FORMAT = "rankwise certificate"
CERTIFICATE_VERSION = 1
CERTIFICATE, GOLDEN, FEATURES = ".certificate.json", ".golden.csv", ".features.json"


@dataclass(frozen=True)
class DataAgreement:
    """What became of the scores and orders of a data set.

    Attributes:
        file: the data.
        with_null: rows that have a NULL.
        scores: how well scores agree.
        orders: how many queries stand in another order.
    """

    file: str
    with_null: int
    scores: ScoreAgreement
    orders: OrderChanges


@dataclass(frozen=True)
class Certificate:
    """What is known of an exported file.

    Attributes:
        file: its name, `target` its layout, `sha256` the digest of its bytes.
        model: the model file as seen from the exported one, `model_sha256` its digest.
        ranker: the method, `kind` the kind of scorer.
        features: names in the order in which they are taken.
        computed_by: who scored: "run in onnxruntime 1.31.1", "format checked, not run in Solr",
            or why nobody did.
        ran: whether that is the real runtime.
        treatment: what the reader does to missing values, precision and zeros.
        left_out: a constant by which all scores there are lower; it is added before comparing.
        golden: agreement on the golden rows, by group.
        data: agreement on the data that were given.
        remarks: where scores differ, a sentence each.
    """

    file: str
    target: str
    sha256: str
    model: str
    model_sha256: str
    ranker: str
    kind: str
    features: tuple[str, ...]
    computed_by: str
    ran: bool
    treatment: Mapping[str, str]
    left_out: float
    golden: Mapping[str, ScoreAgreement]
    data: DataAgreement | None
    remarks: tuple[str, ...]

    @property
    def greatest_difference(self) -> float | None:
        """Over all golden rows that have a number on both sides; None where nobody scored."""
        found = [one.greatest_difference for one in self.golden.values()]
        return max(found) if found else None


def certificate_text(certificate: Certificate) -> str:
    """The JSON document."""
    document = {
        "format": CERTIFICATE_FORMAT,
        "format_version": CERTIFICATE_VERSION,
        "rankwise_version": __version__,
        "greatest_difference": certificate.greatest_difference,
        **asdict(certificate),
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_certificate(export: str | Path) -> Certificate:
    """The certificate that stands beside an exported file."""
    path = file_beside(export, CERTIFICATE)
    if not path.exists():
        raise RankwiseError(
            f"an exported file must have its certificate beside it, found no {path}; write it anew "
            "with: rankwise model export"
        )
    try:
        return _certificate_of(parse_json(read_model_bytes(path)))
    except (RankwiseError, KeyError, TypeError) as error:
        raise RankwiseError(f"{path} is no certificate that can be read: {error}") from error


def file_beside(export: str | Path, ending: str) -> Path:
    """The file of that ending beside an exported one."""
    return Path(f"{export}{ending}")


def _certificate_of(document: dict[str, Any]) -> Certificate:
    if (
        document.get("format") != CERTIFICATE_FORMAT
        or document.get("format_version") != CERTIFICATE_VERSION
    ):
        raise RankwiseError(f"it must be a {CERTIFICATE_FORMAT} of version {CERTIFICATE_VERSION}")
    values = {name: document[name] for name in Certificate.__dataclass_fields__}
    golden = {group: ScoreAgreement(**one) for group, one in values["golden"].items()}
    data = values["data"]
    if data is not None:
        scores, orders = ScoreAgreement(**data["scores"]), OrderChanges(**data["orders"])
        data = DataAgreement(data["file"], data["with_null"], scores, orders)
    lists = {name: tuple(values[name]) for name in ("features", "remarks")}
    return Certificate(**{**values, **lists, "golden": golden, "data": data})
