"""The arena in a browser: pages, forms, the HTTP API, the live view of a store."""

from __future__ import annotations

from rankwise.errors import MissingExtra

try:
    import jinja2 as _jinja2  # noqa: F401
    import starlette as _starlette  # noqa: F401
    import uvicorn as _uvicorn  # noqa: F401
except ImportError as error:
    raise MissingExtra("the pages of an arena", "arena") from error
