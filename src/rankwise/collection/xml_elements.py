"""XML of values in elements, read as a stream: nothing is expanded, nothing grows without bound.

Document types, and with them every entity but the five of XML itself, are refused where they
begin, before the parser has seen a definition. So are attributes, which LETOR's files do not have.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn
from xml.parsers import expat

from rankwise.errors import FormatError

_CHUNK = 1 << 16
_LONGEST_VALUE = 10_000
_LONGEST_TOKEN = 1 << 20
_DEEPEST = 16
_DECIMAL = re.compile(r"[ \t\r\n]*-?[0-9]{1,18}(\.[0-9]{1,20})?(e-?[0-9]{1,3})?[ \t\r\n]*")
_NUMBER = re.compile(r"[ \t\r\n]*-?[0-9]{1,18}[ \t\r\n]*")


class _Event(NamedTuple):
    """`<tag>` begins (value None, end False), ends (end True), or is a value element."""

    tag: str
    value: str | None
    end: bool
    line: int


class Elements:
    """The elements of a file one after the other: `open`, `value`, `number`, `close`, `finish`."""

    def __init__(self, stream: BinaryIO, path: str | Path) -> None:
        self._path = path
        self._events = _read_events(stream, path)
        self._next = _Event("", None, True, 1)
        self._advance()

    def open(self, tag: str) -> None:
        """The next thing must be the beginning of an element with children."""
        if self._next.tag != tag or self._next.end or self._next.value is not None:
            self._refuse(f"<{tag}>")
        self._advance()

    def close(self, tag: str) -> None:
        """The next thing must be the end of this element."""
        if self._next.tag != tag or not self._next.end:
            self._refuse(f"</{tag}>")
        self._advance()

    def begins(self, tag: str) -> bool:
        """Whether an element of this name comes next."""
        return self._next.tag == tag and not self._next.end

    def value(self, tag: str) -> str:
        """The text of the next element, which must have this name and no children."""
        event = self._next
        if event.tag != tag or event.value is None:
            self._refuse(f"<{tag}>")
        self._advance()
        return event.value

    def number(self, tag: str) -> int:
        """The value of the next element as a whole number of at most 18 digits."""
        line = self._next.line
        text = self.value(tag)
        if _NUMBER.fullmatch(text) is None:
            raise FormatError(
                f"<{tag}> must hold a whole number of at most 18 digits, found {text[:40]!r}",
                self._path,
                line,
            )
        return int(text)

    def decimal(self, tag: str) -> float:
        """The value of the next element as a finite number."""
        line = self._next.line
        text = self.value(tag)
        if _DECIMAL.fullmatch(text) is None:
            raise FormatError(f"<{tag}> must hold a number, found {text[:40]!r}", self._path, line)
        return float(text)

    def expect(self, tag: str, expected: int) -> None:
        """The next element must hold this number."""
        line = self._next.line
        found = self.number(tag)
        if found != expected:
            raise FormatError(f"<{tag}> must be {expected} here, found {found}", self._path, line)

    def finish(self) -> None:
        """Nothing may follow."""
        if self._next.tag:
            self._refuse("the end of the file")

    def _advance(self) -> None:
        event = next(self._events, None)
        self._next = _Event("", None, True, self._next.line) if event is None else event

    def _refuse(self, expected: str) -> NoReturn:
        event = self._next
        found = f"<{'/' if event.end else ''}{event.tag[:40]}>" if event.tag else "the end"
        raise FormatError(f"{expected} must stand here, found {found}", self._path, event.line)


def _read_events(stream: BinaryIO, path: str | Path) -> Iterator[_Event]:
    parser = expat.ParserCreate()
    listener = _Listener(parser, path)
    fed = 0
    try:
        while chunk := stream.read(_CHUNK):
            fed += len(chunk)
            parser.Parse(chunk, False)
            if fed - parser.CurrentByteIndex > _LONGEST_TOKEN:
                listener.fail(f"a tag or comment must be at most {_LONGEST_TOKEN} bytes long")
            while listener.found:
                yield listener.found.popleft()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise FormatError(
            f"the file must be well-formed XML, found: {problem}", path, error.lineno
        ) from error
    except (LookupError, ValueError) as error:
        # The parser asks Python for encodings that it does not know itself.
        raise FormatError(f"the file must be UTF-8, found: {error}", path, 1) from error
    yield from listener.found


class _Listener:
    """What the parser tells: beginnings, values and ends; blanks between them are nothing."""

    def __init__(self, parser: expat.XMLParserType, path: str | Path) -> None:
        self.found: deque[_Event] = deque()
        self._parser, self._path = parser, path
        self._texts: list[str] = []
        self._tags: list[str] = []
        # Where the innermost element began; 0 once it is known to have children.
        self._began = 0
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._document_type

    def fail(self, message: str) -> NoReturn:
        raise FormatError(message, self._path, self._parser.CurrentLineNumber)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if attributes:
            self.fail(f"there must be no attributes, found some in <{tag[:40]}>")
        if len(self._tags) >= _DEEPEST:
            self.fail(f"elements must be at most {_DEEPEST} deep, found <{tag[:40]}> deeper")
        self._refuse_text()
        if self._began:
            self.found.append(_Event(self._tags[-1], None, False, self._began))
        self._tags.append(tag)
        self._began = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        if self._began:
            self.found.append(_Event(tag, "".join(self._texts), False, self._began))
            self._texts.clear()
        else:
            self._refuse_text()
            self.found.append(_Event(tag, None, True, self._parser.CurrentLineNumber))
        self._tags.pop()
        self._began = 0

    def _text(self, text: str) -> None:
        self._texts.append(text)
        if sum(map(len, self._texts)) > _LONGEST_VALUE:
            self.fail(f"a value must be at most {_LONGEST_VALUE} characters long")

    def _refuse_text(self) -> None:
        if self._texts:
            if "".join(self._texts).strip():
                self.fail("text must stand in elements without children, found some elsewhere")
            self._texts.clear()

    def _document_type(self, *_: object) -> None:
        self.fail("there must be no document type (<!DOCTYPE …>), found one")
