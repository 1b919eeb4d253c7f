"""What was odd about the input: counted by kind, with the first few of each named."""

from __future__ import annotations

from rankwise.errors import RankwiseError

_SHOWN = 5


class Findings:
    """Kinds of findings with their counts and first examples.

    With `strict`, a finding that loses a document stops the build where it is made.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.counts: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}

    def add(self, kind: str, example: str, *, fatal_if_strict: bool = False) -> None:
        """Count one finding of this kind; the first few are kept by name."""
        if self.strict and fatal_if_strict:
            raise RankwiseError(f"{kind}: {example}")
        self.counts[kind] = self.counts.get(kind, 0) + 1
        shown = self.examples.setdefault(kind, [])
        if len(shown) < _SHOWN:
            shown.append(example)

    def lines(self) -> list[str]:
        """One line a kind, as people read them."""
        return [f"{kind}: {count:,} ({self._named(kind)})" for kind, count in self.counts.items()]

    def as_record(self) -> dict[str, dict[str, object]]:
        """The findings as a data card holds them."""
        return {
            kind: {"count": count, "first": list(self.examples[kind])}
            for kind, count in self.counts.items()
        }

    def restore(self, record: dict[str, dict[str, object]]) -> None:
        """Take over what `as_record` wrote, as when an index is reused."""
        for kind, entry in record.items():
            count, first = entry["count"], entry["first"]
            if isinstance(count, int) and isinstance(first, list):
                self.counts[kind] = count
                self.examples[kind] = list(map(str, first))

    def _named(self, kind: str) -> str:
        shown = self.examples[kind]
        more = "; …" if self.counts[kind] > len(shown) else ""
        return "; ".join(shown) + more
