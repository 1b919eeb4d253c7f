"""The report as one HTML file that holds everything it needs and asks no address for anything.

Names from files travel as JSON inside a data block, with every character escaped that could end
it, and the script turns them into text nodes only. A Content-Security-Policy that knows the style
and the script by their hashes forbids all else, so that even markup that got through could neither
run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.files import write_text
from rankwise.reports.comparison_report import Report
from rankwise.reports.page.content import make_page_data

SCRIPTS = (
    "winning", "labels", "drawing", "plane", "bars", "figures", "queries", "results", "sections",
    "page", "panel",
)  # fmt: skip


def write_page(report: Report, path: str | Path) -> None:
    """Write the page to `path`, whole or not at all."""
    write_text(path, make_page(report))


def make_page(report: Report) -> str:
    """The page as text; equal reports give equal pages."""
    style = read_colours() + _part("page.css")
    script = _script()
    return _filled(
        _part("template.html"),
        {
            "policy": _policy(style, script),
            "generator": f"Rankwise {__version__}",
            "title": html.escape(report.title),
            "summary": html.escape(report.summary()),
            "footer": html.escape(f"Made with Rankwise {__version__}. {report.counting()}"),
            "style": style,
            "data": embed_json(make_page_data(report)),
            "script": script,
        },
    )


def read_colours() -> str:
    """The style sheet of our colours, light and dark, which other pages share."""
    return _part("colours.css")


def embed_json(value: object) -> str:
    """`value` as JSON that cannot end the script element it stands in.

    All but ASCII is written as escapes, which covers the line separators U+2028 and U+2029 and
    lone surrogates; `<`, `>` and `&` are escaped too, so that no markup is left to be found.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _script() -> str:
    parts = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _policy(style: str, script: str) -> str:
    rules = {
        "default-src": "'none'",
        "style-src": f"'sha256-{_digest(style)}'",
        "script-src": f"'sha256-{_digest(script)}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _filled(template: str, values: dict[str, Any]) -> str:
    """The template with each `{{name}}` replaced once, so that values are never searched again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found.group(1)], template)


def _part(name: str) -> str:
    return (resources.files("rankwise.reports.page") / name).read_text("utf-8")
