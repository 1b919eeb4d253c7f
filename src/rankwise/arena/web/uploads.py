"""Forms with files: bounded in number, kept on disk until their turn, then made submissions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast, get_args

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from rankwise.arena.entry import Layout, Submission
from rankwise.arena.errors import BadRequest
from rankwise.arena.forms import parse_declaration
from rankwise.shown import brief

if TYPE_CHECKING:
    from starlette._utils import AwaitableOrContextManager

MOST_FILES = 64
MOST_FIELDS = 64
LARGEST_FIELD = 256 * 1024
_NUMBERS = ("training_seconds", "scoring_seconds", "model_bytes")
FIELDS = (
    "title", "description", "paper", "code", "training_data", "parameters", "training_seconds",
    "scoring_seconds", "model_bytes", "hardware", "alias", "embargo_days", "layout",
)  # fmt: skip


def open_form(request: Request) -> AwaitableOrContextManager[FormData]:
    """The fields and files of a form, too many of which are refused.

    To be awaited, or entered where there are files, which are then removed at its end.
    """
    return request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LARGEST_FIELD)


def prepare_submission(form: FormData, declared: Mapping[str, Any]) -> Callable[[], Submission]:
    """What reads the files into memory when the turn comes; everything else is checked now."""
    declaration = parse_declaration(declared)
    layout, alias = read_layout(form), read_field(form, "alias")
    days = read_whole(read_field(form, "embargo_days") or "0", "the embargo in days")
    files = find_files(form)

    def read() -> Submission:
        contents = {name: file.file.read() for name, file in files.items()}
        return Submission(contents, declaration, layout, alias, days)

    return read


def find_files(form: FormData) -> dict[str, UploadFile]:
    """The files of a form by their names, of which folders are not looked at."""
    found: dict[str, UploadFile] = {}
    for file in form.getlist("file"):
        if not isinstance(file, UploadFile) or not file.filename:
            continue
        name = PurePosixPath(file.filename.replace("\\", "/")).name
        if name in found:
            raise BadRequest(f"each file must have a name of its own, found {brief(name)} twice")
        found[name] = file
    if not found:
        raise BadRequest("a submission must have a file of scores or a run, found none")
    return found


def read_declaration(form: FormData) -> dict[str, Any]:
    """What the page's form says of a method, in the shape of the API."""
    cost: dict[str, Any] = {"hardware": read_field(form, "hardware")}
    for name in _NUMBERS:
        given = read_field(form, name)
        if given:
            whole = name == "model_bytes"
            cost[name] = read_whole(given, name) if whole else _read_number(given, name)
    words = ("title", "description", "paper", "code", "training_data")
    declared: dict[str, Any] = {name: read_field(form, name) for name in words}
    return {**declared, "parameters": _read_parameters(form), "cost": cost}


def read_field(form: FormData, name: str) -> str:
    """A field of a form as text; line ends as they are here."""
    given = form.get(name)
    return given.replace("\r\n", "\n").strip() if isinstance(given, str) else ""


def read_layout(form: FormData) -> Layout:
    """Scores where nothing is said."""
    given = read_field(form, "layout") or "scores"
    for known in get_args(Layout):
        if given == known:
            return cast(Layout, known)
    raise BadRequest(f"the layout must be scores or run, found {brief(given)}")


def read_whole(text: str, what: str) -> int:
    """A whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise BadRequest(f"{what} must be a whole number from 0, found {brief(text)}")
    return int(text)


def _read_number(text: str, what: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise BadRequest(f"{what} must be a number, found {brief(text)}") from None


def _read_parameters(form: FormData) -> dict[str, str]:
    """`name = value`, one a line."""
    found: dict[str, str] = {}
    for number, line in enumerate(read_field(form, "parameters").split("\n"), 1):
        if not line.strip():
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name or name in found:
            raise BadRequest(
                f"line {number} of the parameters must be 'name = value' with a name of its own, "
                f"found {brief(line)}"
            )
        found[name] = value
    return found
