"""The certificate of an exported model: what was found out about its scores, and by whom.

Beside an exported FILE stand FILE.features.json, the feature definitions; FILE.golden.csv, rows
with the model's scores; and FILE.certificate.json, this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.errors import RankwiseError
from rankwise.models.hostile_json import parse_json, read_model_bytes
from rankwise.models.score_agreement import OrderChanges, ScoreAgreement

FORMAT = "rankwise certificate"
FORMAT_VERSION = 1
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
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rankwise_version": __version__,
        "greatest_difference": certificate.greatest_difference,
        **asdict(certificate),
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_certificate(export: str | Path) -> Certificate:
    """The certificate that stands beside an exported file."""
    path = beside(export, CERTIFICATE)
    if not path.exists():
        raise RankwiseError(
            f"an exported file must have its certificate beside it, found no {path}; write it anew "
            "with: rankwise model export"
        )
    try:
        return _from_document(parse_json(read_model_bytes(path)))
    except (RankwiseError, KeyError, TypeError) as error:
        raise RankwiseError(f"{path} is no certificate that can be read: {error}") from error


def beside(export: str | Path, ending: str) -> Path:
    """The file of that ending beside an exported one."""
    return Path(f"{export}{ending}")


def _from_document(document: dict[str, Any]) -> Certificate:
    if document.get("format") != FORMAT or document.get("format_version") != FORMAT_VERSION:
        raise RankwiseError(f"it must be a {FORMAT} of version {FORMAT_VERSION}")
    values = {name: document[name] for name in Certificate.__dataclass_fields__}
    golden = {group: ScoreAgreement(**one) for group, one in values["golden"].items()}
    data = values["data"]
    if data is not None:
        scores, orders = ScoreAgreement(**data["scores"]), OrderChanges(**data["orders"])
        data = DataAgreement(data["file"], data["with_null"], scores, orders)
    lists = {name: tuple(values[name]) for name in ("features", "remarks")}
    return Certificate(**{**values, **lists, "golden": golden, "data": data})
