"""The addresses of the live view."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class StoreLinks:
    """Where every page of the live view is, below `root`."""

    root: str = ""

    def home(self) -> str:
        """How the experiment stands."""
        return f"{self.root}/"

    def static(self, name: str) -> str:
        """A style sheet or a script."""
        return f"{self.root}/static/{name}"

    def sign_in(self) -> str:
        """Nobody signs in here: the first page."""
        return self.home()

    def tables(self) -> str:
        """Means over folds."""
        return f"{self.root}/tables"

    def queries(self, **chosen: str) -> str:
        """Values of queries."""
        given = {name: value for name, value in chosen.items() if value}
        return f"{self.root}/queries" + (f"?{urlencode(given)}" if given else "")

    def task(self, key: str) -> str:
        """One task in full."""
        return f"{self.root}/tasks/{quote(key, safe='')}"

    def data(self, kind: str) -> str:
        """The same as JSON."""
        return f"{self.root}/api/{kind}"
