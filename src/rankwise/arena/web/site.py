"""What every page of a site shares: the arena, the addresses, and who looks at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rankwise.arena.account import Account
from rankwise.arena.service import Arena
from rankwise.arena.web.links import SiteLinks
from rankwise.arena.web.rendering import render


@dataclass(frozen=True)
class PageReader:
    """Who looks at a page, and the mark that the forms of their browser carry."""

    account: Account | None = None
    form_mark: str = ""


@dataclass(frozen=True)
class Site:
    """An arena as pages; `interactive` where somebody answers forms."""

    arena: Arena
    links: SiteLinks = field(default_factory=SiteLinks)
    interactive: bool = True

    def page(self, template: str, reader: PageReader, **values: Any) -> str:
        """A page for this reader."""
        return render(
            template,
            site_title=self.arena.settings.title,
            links=self.links,
            interactive=self.interactive,
            account=reader.account,
            form_mark=reader.form_mark,
            **values,
        )
