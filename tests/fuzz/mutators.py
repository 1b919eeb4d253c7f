"""Changes that files suffer and that enemies make: every one takes bytes and a generator.

The same generator state gives the same bytes, so that a number names an input.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from random import Random

Mutator = Callable[[bytes, Random], bytes]

MARKS = b"0123456789:.-+eE \t\r\n#_,=qidNULnaf\x00\x0b\x1c\x7f\x80\xc2\xe2\xef\xff"
HARD_NUMBERS = [
    *(b"1e999", b"-1e999", b"1e-999", b"-0", b"-0.0", b"0e0", b".", b"-", b"+", b"1e", b"1e+"),
    *(b"nan", b"-nan", b"NULL", b"-null", b"inf", b"-Infinity", b"infinit", b"0x1p3", b"1_0"),
    *(
        b"4.9e-324",
        b"2.4703282292062327e-324",
        b"2.2250738585072011e-308",
        b"1.7976931348623159e308",
    ),
    *(b"9007199254740993", b"18446744073709551615", b"18446744073709551616", b"1" * 19, b"9" * 20),
    *(
        b"0." + b"0" * 400 + b"1",
        b"9" * 4301,
        b"0" * 5000 + b"7",
        b"1e" + b"9" * 30,
        b"1" + b"0" * 330,
    ),
    *(b"0.1000000000000000055511151231257827021181583404541015625", b"1.5.", b"--1", b"1e5e5"),
]
HARD_INDICES = [b"0", b"00000000000000001", b"1048576", b"1048577", b"99999999999999999999", b"1 "]


# What a terminal obeys: colours, a cleared screen, a title, one byte for two, text turned round.
TERMINAL_MARKS = (b"\x1b[31m", b"\x1b[2J", b"\x1b]0;x\x07", b"\xc2\x9b2J", b"\xe2\x80\xae", b"\r")
HARD_VALUES = (
    *(b"null", b"true", b"{}", b"[]", b'""', b"''", b"-1", b"0", b"1e999", b"NaN", b"-Infinity"),
    *(b"9" * 4301, b"0x" + b"f" * 4000, b"[" * 2000, b'{"a":' * 2000, b"1_000", b"1979-05-27"),
    *(b"a" * 5000, b'"' + b"\\u0000" * 50 + b'"', b'"\\u001b[2J"', b'"\\ud800"', b"\xff\xfe"),
    *(b"<" * 500, b"</DOC>", b"<DOC>", b"&#x110000;", b"&lt;" * 300),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<a>" * 3000),
    *(b"..", b"/etc/passwd", b"C:\\x", b"%00", b"*", b"os:getcwd", b"a:b", b"@", b"=1+1"),
)  # fmt: skip
_WORD = re.compile(rb"[A-Za-z0-9_.+-]+|\"[^\"]*\"")


def mutate(
    content: bytes,
    others: Sequence[bytes],
    rng: Random,
    mutators: Sequence[Mutator] | None = None,
) -> bytes:
    """`content` after one to four changes; some take a piece of another file."""
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        if rng.random() < 0.1:
            content = splice(content, rng.choice(others), rng)
        else:
            content = rng.choice(mutators or MUTATORS)(content, rng)
    return content


def splice(content: bytes, other: bytes, rng: Random) -> bytes:
    """The beginning of one file and the end of another."""
    return content[: rng.randint(0, len(content))] + other[rng.randint(0, len(other)) :]


def flip_bits(content: bytes, rng: Random) -> bytes:
    """A few bits anywhere."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def put_marks(content: bytes, rng: Random) -> bytes:
    """A few bytes that mean something to a parser, over others or between them."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(changed))
        changed[at : at + rng.randint(0, 1)] = bytes([rng.choice(MARKS)])
    return bytes(changed)


def cut_off(content: bytes, rng: Random) -> bytes:
    """Only the beginning, or only the end."""
    at = rng.randint(0, len(content))
    return content[:at] if rng.random() < 0.8 else content[at:]


def leave_out(content: bytes, rng: Random) -> bytes:
    """Without a span of bytes."""
    at = rng.randint(0, len(content))
    return content[:at] + content[at + rng.randint(1, 30) :]


def double_span(content: bytes, rng: Random) -> bytes:
    """A span of bytes twice, or many times: lines and fields of great length."""
    at = rng.randint(0, len(content))
    span = content[at : at + rng.randint(1, 60)]
    return content[:at] + span * rng.choice((2, 2, 3, 300)) + content[at:]


def double_token(content: bytes, rng: Random) -> bytes:
    """One field twice in its line, or in the place of another one."""
    tokens = content.split(b" ")
    token = rng.choice(tokens)
    at = rng.randint(0, len(tokens))
    tokens[at : at + rng.randint(0, 1)] = [token]
    return b" ".join(tokens)


def double_line(content: bytes, rng: Random) -> bytes:
    """One line again, somewhere else."""
    lines = content.split(b"\n")
    lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def put_number(content: bytes, rng: Random) -> bytes:
    """A number that is hard to read in the place of a field or of what follows its colon."""
    tokens = content.split(b" ")
    at = rng.randrange(len(tokens))
    before, colon, _ = tokens[at].partition(b":")
    tokens[at] = (before + colon if colon else b"") + rng.choice(HARD_NUMBERS)
    return b" ".join(tokens)


def put_index(content: bytes, rng: Random) -> bytes:
    """An index that is hard to read before a colon."""
    tokens = content.split(b" ")
    at = rng.randrange(len(tokens))
    _, colon, after = tokens[at].partition(b":")
    tokens[at] = rng.choice(HARD_INDICES) + (colon or b":") + after
    return b" ".join(tokens)


def put_zeros(content: bytes, rng: Random) -> bytes:
    """NUL bytes, one or a whole page."""
    at = rng.randint(0, len(content))
    return content[:at] + b"\0" * rng.choice((1, 2, 16, 4096)) + content[at:]


def lengthen_line(content: bytes, rng: Random) -> bytes:
    """A line of many thousand bytes."""
    at = rng.randint(0, len(content))
    piece = rng.choice((b"x", b" ", b"9", b" 7:1", b"#", b"\xe2\x80\x83", b"1 "))
    return content[:at] + piece * rng.choice((1000, 10_000)) + content[at:]


def change_line_ends(content: bytes, rng: Random) -> bytes:
    """Line ends of other systems, or none."""
    return content.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"", b"\n\r")))


def put_byte_order_mark(content: bytes, rng: Random) -> bytes:
    """Marks of Unicode, in front or in between."""
    at = rng.choice((0, 0, rng.randint(0, len(content))))
    return content[:at] + rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xc2\xa0")) + content[at:]


def put_value(content: bytes, rng: Random) -> bytes:
    """A value that is hard to take in the place of a word or a quoted text."""
    words = [found.span() for found in _WORD.finditer(content)]
    if not words:
        return content + rng.choice(HARD_VALUES)
    begin, end = rng.choice(words)
    return content[:begin] + rng.choice((*HARD_VALUES, *HARD_NUMBERS)) + content[end:]


def swap_words(content: bytes, rng: Random) -> bytes:
    """A word of the file in the place of another one: keys, names and numbers change places."""
    words = [found.span() for found in _WORD.finditer(content)]
    if not words:
        return content
    (begin, end), (first, last) = rng.choice(words), rng.choice(words)
    return content[:begin] + content[first:last] + content[end:]


def put_terminal_marks(content: bytes, rng: Random) -> bytes:
    """What a terminal obeys, in the middle of anything."""
    at = rng.randint(0, len(content))
    return content[:at] + rng.choice(TERMINAL_MARKS) + content[at:]


def put_length(content: bytes, rng: Random) -> bytes:
    """A length or a number of a binary file that is a lie."""
    width, form = rng.choice(((4, "I"), (8, "Q"), (2, "H")))
    at = rng.randint(0, max(len(content) - width, 0))
    top = (1 << 8 * width) - 1
    number = rng.choice((0, 1, top, top >> 1, top - 1, 1 << 8 * width - 3, rng.randint(0, top)))
    order = rng.choice("<>")
    return content[:at] + struct.pack(f"{order}{form}", number) + content[at + width :]


def put_bytes(content: bytes, rng: Random) -> bytes:
    """A few bytes at random over others."""
    at = rng.randint(0, len(content))
    length = rng.choice((1, 2, 4, 16))
    return content[:at] + rng.randbytes(length) + content[at + length :]


MUTATORS: tuple[Mutator, ...] = (
    flip_bits,
    put_marks,
    put_marks,
    cut_off,
    leave_out,
    double_span,
    double_token,
    double_line,
    put_number,
    put_number,
    put_index,
    put_zeros,
    lengthen_line,
    change_line_ends,
    put_byte_order_mark,
)

STRUCTURED: tuple[Mutator, ...] = (
    *(put_value, put_value, put_value, swap_words, swap_words, put_terminal_marks),
    *(flip_bits, put_marks, cut_off, leave_out, double_span, double_line, put_zeros),
    *(lengthen_line, change_line_ends, put_byte_order_mark),
)
"""For JSON, TOML, tables, markup: text with words that mean something."""

BINARY: tuple[Mutator, ...] = (
    *(flip_bits, flip_bits, flip_bits, put_bytes, put_bytes, put_length, put_length, put_length),
    *(cut_off, leave_out, double_span, put_zeros),
)
"""For files of bytes: Parquet, archives, stores."""
