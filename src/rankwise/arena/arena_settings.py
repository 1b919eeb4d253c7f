"""`arena.toml`: where an arena keeps its things, and what it allows in general."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rankwise.arguments import parse_toml
from rankwise.errors import RankwiseError
from rankwise.files import read_bounded
from rankwise.sanitize import brief

FILE_NAME = "arena.toml"
_LARGEST_FILE = 1 << 20


@dataclass(frozen=True)
class ArenaSettings:
    """What `arena.toml` says.

    Attributes:
        folder: where the file stands; relative paths count from here.
        title: of the arena.
        database: an SQLAlchemy address; by default one SQLite file beside `arena.toml`. For
            PostgreSQL `postgresql+psycopg://…`.
        key: the file of the key that labels are sealed with; nobody but its owner may read it.
        packages: the folder of the participants' packages.
        public: whether boards are shown to readers without an account.
        invitation_days: how long an invitation can be accepted.
        evaluation_seconds: processor time of one evaluation.
        evaluation_memory: bytes that the process which evaluates may have.
    """

    folder: Path
    title: str = "Rankwise arena"
    database: str = "sqlite:///arena.sqlite"
    key: str = "labels.key"
    packages: str = "packages"
    public: bool = True
    invitation_days: int = 14
    evaluation_seconds: int = 60
    evaluation_memory: int = 2 << 30

    @property
    def key_file(self) -> Path:
        """Where the key is."""
        return self.folder / self.key

    @property
    def packages_folder(self) -> Path:
        """Where the packages are."""
        return self.folder / self.packages

    @property
    def database_address(self) -> str:
        """The address, with the path of an SQLite file counted from the folder."""
        scheme, found, path = self.database.partition("sqlite:///")
        if found and not scheme and path and not Path(path).is_absolute():
            return f"sqlite:///{(self.folder / path).resolve()}"
        return self.database


def read_settings(place: str | Path) -> ArenaSettings:
    """The settings of an `arena.toml`, or of the folder that holds one."""
    path = Path(place)
    if path.is_dir():
        path = path / FILE_NAME
    content = parse_toml(read_bounded(path, _LARGEST_FILE, "arena.toml"), path)
    return ArenaSettings(path.resolve().parent, **_check_settings(path, content))


def write_settings(settings: ArenaSettings) -> str:
    """The text of an `arena.toml` with these settings."""
    lines = [
        f"{one.name} = {_toml_value(getattr(settings, one.name))}" for one in fields(settings)[1:]
    ]
    return "\n".join(lines) + "\n"


def _check_settings(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    known = {one.name: type(one.default) for one in fields(ArenaSettings)[1:]}
    for name, value in content.items():
        if name not in known:
            raise RankwiseError(
                f"{path}: there is no setting {name!r}; there are {', '.join(known)}"
            )
        if type(value) is not known[name]:
            raise RankwiseError(
                f"{path}: {name} must be of type {known[name].__name__}, found {brief(value)}"
            )
    return content


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    escaped = "".join(
        f"\\u{ord(mark):04x}" if ord(mark) < 32 or mark in '"\\\x7f' else mark for mark in value
    )
    return f'"{escaped}"'
