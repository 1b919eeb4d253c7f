"""A file, or every part of the folds of a folder, brought to another scale."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.folds.reading import find_folds, list_fold_homes
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.locating import locate
from rankwise.data.normalization import NORMALIZATIONS, FillRule, count_null, normalize
from rankwise.data.reading import read
from rankwise.data.rewriting import Advance, rewrite_parts
from rankwise.data.writing import write
from rankwise.files import is_folder


@dataclass(frozen=True)
class NormalizedPart:
    """A file that was written on another scale: its size, and its NULL before and after."""

    source: str
    output: str
    rows: int
    queries: int
    features: int
    null_before: int
    null_after: int


def normalize_files(
    source: str | Path,
    target: str | Path,
    to: str,
    *,
    fill_rule: FillRule | str | None = "minimum",
    fit_on: str | Path | None = None,
    class_column: int | str | None = None,
    numbers: NumberStyle = "shortest",
    float32: bool = False,
    advance: Advance = lambda done, total: None,
) -> list[NormalizedPart]:
    """Write a file, or the folds of a folder, on the scale `to`.

    Scales that are fitted take their figures from `fit_on`, or else, in a folder, from the training
    part of each fold. Otherwise as `normalize` and `filter_files`.
    """
    given = None if fit_on is None else read(fit_on)
    fitted = to in NORMALIZATIONS and NORMALIZATIONS[to].fitted
    train_of = _list_training_parts(source) if fitted and given is None else {}
    read_last: dict[Path, Dataset] = {}

    def read_training_part(file: Path) -> Dataset | None:
        """The training part of the fold of a file, kept until that of another fold is needed."""
        path = train_of.get(file)
        if path is None:
            return given
        if path not in read_last:
            read_last.clear()
            read_last[path] = read(path)
        return read_last[path]

    def rewrite(file: Path, place: Path, shown: Path) -> NormalizedPart:
        before = read(file)
        after = normalize(
            before, to, fill_rule=fill_rule, fit_on=read_training_part(file),
            class_column=class_column,
        )  # fmt: skip
        write(after, place, numbers=numbers, float32=float32)
        return NormalizedPart(
            str(file), str(shown), after.n_documents, after.n_queries, after.n_features,
            count_null(before), count_null(after),
        )  # fmt: skip

    return rewrite_parts(source, target, rewrite, advance)


def _list_training_parts(source: str | Path) -> dict[Path, Path]:
    """The training part beside each part of the folds of a folder; nothing of a file."""
    root = Path(locate(source))
    homes = list_fold_homes(root) if is_folder(root) else []
    folds = [fold for home in homes for fold in find_folds(home)]
    return {
        part: fold.train
        for fold in folds
        for part in (fold.train, fold.validation, fold.test)
        if part is not None
    }
