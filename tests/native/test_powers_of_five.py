"""The table of powers of five is what its comment says, computed with whole numbers."""

from __future__ import annotations

import re
from pathlib import Path

import rankwise.native

SMALLEST, LARGEST = -342, 324


def first_128_bits(exponent: int) -> int:
    """5^exponent, cut off; from -27 to -1 rounded up."""
    power = 5 ** abs(exponent)
    length = power.bit_length()
    if exponent >= 0:
        return power >> length - 128 if length > 128 else power << 128 - length
    if exponent >= -27:
        return (1 << length + 127) // power + 1
    quotient = (1 << 2 * length + 128) // power + 1
    return quotient >> quotient.bit_length() - 128


def test_every_entry_of_the_table() -> None:
    source = Path(rankwise.native.__file__).with_name("powers_of_five.c").read_text()
    pairs = re.findall(r"\{0x([0-9a-f]{16}), 0x([0-9a-f]{16})\}", source)
    found = [int(high + low, 16) for high, low in pairs]
    assert found == [first_128_bits(exponent) for exponent in range(SMALLEST, LARGEST + 1)]
