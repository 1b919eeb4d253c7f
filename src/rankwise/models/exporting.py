"""A model written for another tool, with feature definitions, golden rows and a certificate."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read_feature_names
from rankwise.errors import RankwiseError
from rankwise.files import is_file, is_there, write_text, written_together, written_whole
from rankwise.models.formats.format import Export, ExportFormat, export, find_export, open_export
from rankwise.models.formats.linear_json import pretty_json
from rankwise.models.golden_rows import golden_text, make_golden_rows
from rankwise.models.model_file import ModelFile, read_model_bytes, read_model_file
from rankwise.models.verification import (
    CERTIFICATE,
    FEATURES,
    GOLDEN,
    Certificate,
    ExpectedScores,
    certificate_text,
    compare_with_export,
    file_beside,
)

# What stands there leads elsewhere, and nothing can stand beside it.
_STREAMS = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))


def export_model(
    model: str | Path,
    layout: str,
    output: str | Path,
    *,
    feature_names: str | Path | None = None,
    store: str | None = None,
    data: Dataset | str | Path | None = None,
) -> Export:
    """Write the model of a file in another tool's layout, and give what was written.

    Beside it stand feature definitions, golden rows with the model's scores, and a certificate
    that says how well the scores of the exported file agree (`rankwise.models.verification`). All
    four are written, or none is. A device or a pipe gets the model alone.

    Args:
        model: the model file.
        layout: a name of `EXPORTS`.
        output: the file to write.
        feature_names: a file with a name a line, as the other tool knows the features.
        store: what the search engine calls the set of the features.
        data: a data set whose scores and orders are compared too.
    """
    original = read_model_file(model)
    file = original
    if feature_names is not None:
        names = read_feature_names(feature_names, original.model.scorer.n_features)
        renamed = replace(original.model, feature_names=names)
        file = ModelFile(renamed, original.paper, original.rankwise_version)
    exported = export(file, layout, store=store)
    if (is_there(output) and not is_file(output)) or Path(output).parent in _STREAMS:
        with written_whole(output) as stream:
            stream.write(exported.content)
        return exported
    golden = make_golden_rows(original.model.scorer)
    scores = ExpectedScores(original.model, exported.left_out, golden)
    with written_together(output) as folder:
        written = folder / Path(output).name
        with written_whole(written) as stream:
            stream.write(exported.content)
        certificate = _certify(file, Path(model), Path(output), written, find_export(layout),
                               exported, scores, data)  # fmt: skip
        write_text(file_beside(written, FEATURES), pretty_json(exported.features))
        write_text(file_beside(written, GOLDEN), golden_text(golden, file.names))
        write_text(file_beside(written, CERTIFICATE), certificate_text(certificate))
    return replace(exported, certificate=certificate)


def _certify(
    file: ModelFile, model: Path, output: Path, written: Path, target: ExportFormat,
    exported: Export, scores: ExpectedScores, data: Dataset | str | Path | None,
) -> Certificate:  # fmt: skip
    """Score the written file where that can be done here; where not, say why."""
    try:
        opened = open_export(target, written, file.names)
        found = compare_with_export(scores, opened, data)
        how, ran, golden, judged = opened.how, opened.ran, found.golden, found.data
    except RankwiseError as error:
        if data is not None:
            raise
        how, ran, golden, judged = f"not computed: {error}", False, {}, None
    treated = asdict(target.treatment)
    return Certificate(
        file=output.name,
        target=target.name,
        sha256=sha256(exported.content).hexdigest(),
        model=os.path.relpath(model, output.parent),
        model_sha256=sha256(read_model_bytes(model)).hexdigest(),
        ranker=file.model.ranker,
        kind=file.model.scorer.kind,
        features=file.names,
        computed_by=how,
        ran=ran,
        treatment={name: treated[name] for name in ("missing", "precision", "zeros")},
        left_out=exported.left_out,
        golden=golden,
        data=judged,
        remarks=exported.remarks,
    )
