"""The readers of what others send: click logs, certificates of exports, settings of an arena."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import rankwise as rw
from rankwise.arena.arena_settings import read_settings
from rankwise.data.synthetic import make_dataset
from rankwise.feedback.log_files import read_log, write_log
from rankwise.models import export_model
from rankwise.models.model_file import as_text
from rankwise.models.verification import CERTIFICATE, file_beside, read_certificate
from tests.fuzz.mutators import BINARY, STRUCTURED
from tests.fuzz.reader import Reader
from tests.models.made import made_models, model_file

SETTINGS = (
    b'title = "Ours"\ndatabase = "sqlite:///ours.sqlite"\nkey = "labels.key"\npublic = true\n'
    b'packages = "packages"\ninvitation_days = 14\nevaluation_seconds = 60\n',
)


def _log_seeds(ending: str) -> tuple[bytes, ...]:
    dataset = rw.normalize(make_dataset(4, seed=1), "query-level")
    log = rw.feedback.simulate_clicks(dataset, sessions=12, seed=3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log{ending}"
        write_log(log, path, features=True)
        return (path.read_bytes(),)


def _certificate_seeds() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        model.write_text(as_text(model_file(made_models()["linear"])))
        export_model(model, "linear-json", Path(folder) / "out.json")
        return (file_beside(Path(folder) / "out.json", CERTIFICATE).read_bytes(),)


def _read_certificate(path: Path, rng: Random) -> object:
    return read_certificate(str(path).removesuffix(CERTIFICATE))


SHARED_READERS = {
    "clicks-csv": Reader(
        lambda: _log_seeds(".csv"), lambda path, rng: read_log(path), STRUCTURED, ".csv"
    ),
    "clicks-parquet": Reader(
        lambda: _log_seeds(".parquet"), lambda path, rng: read_log(path), BINARY, ".parquet"
    ),
    "certificates": Reader(_certificate_seeds, _read_certificate, STRUCTURED, CERTIFICATE),
    "arena-settings": Reader(
        lambda: SETTINGS, lambda path, rng: read_settings(path), STRUCTURED, ".toml"
    ),
}
