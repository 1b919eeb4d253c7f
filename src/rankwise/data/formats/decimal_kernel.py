"""Decimal text to the nearest double, compiled: the same bits as a correctly rounding C library.

Three ways, from quick to rare. Up to 2^53 in the digits and a power of ten up to 22: one exact
multiplication or division (Clinger 1990). Otherwise a 128-bit product with a tabulated power of
five (Lemire, "Number parsing at a gigabyte per second", 2021). Where more than 19 digits leave
the last bit open, the caller is told and asks Python.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

NUMBER, NULL, NOT_A_NUMBER, UNDECIDED = 0, 1, 2, 3

SMALLEST_POWER, LARGEST_POWER = -342, 308


def _power_of_five(exponent: int) -> int:
    """The first 128 bits of 5^exponent: truncated, or for negative exponents rounded up."""
    power: int = 5 ** abs(exponent)
    if exponent >= 0:
        shift = power.bit_length() - 128
        return power >> shift if shift > 0 else power << -shift
    length = power.bit_length()
    bits = length + 127 if exponent >= -27 else 2 * length + 128
    quotient = (1 << bits) // power + 1
    return quotient >> max(quotient.bit_length() - 128, 0)


def _table_of_fives() -> NDArray[np.uint64]:
    words = [_power_of_five(q) for q in range(SMALLEST_POWER, LARGEST_POWER + 1)]
    mask = (1 << 64) - 1
    return np.array([[word >> 64, word & mask] for word in words], dtype=np.uint64)


FIVES = _table_of_fives()
TENS = np.array([10.0**power for power in range(23)])
ONE, LOW_HALF, HALF_WIDTH = np.uint64(1), np.uint64(0xFFFFFFFF), np.uint64(32)


@compiled
def convert(
    buffer: NDArray[np.uint8], spans: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers whose begin and end are the last two columns of `spans`, into `values`.

    Returns the entries that are no numbers and those that Python must decide.
    """
    wrong = np.empty(len(spans), np.int64)
    undecided = np.empty(len(spans), np.int64)
    n_wrong = n_undecided = 0
    for entry in range(len(spans)):
        value, position, outcome = parse_number(buffer, spans[entry, 2])
        values[entry] = value
        if outcome == NOT_A_NUMBER or position != spans[entry, 3]:
            wrong[n_wrong] = entry
            n_wrong += 1
        elif outcome == UNDECIDED:
            undecided[n_undecided] = entry
            n_undecided += 1
    return wrong[:n_wrong], undecided[:n_undecided]


@compiled
def parse_number(buffer: NDArray[np.uint8], position: int) -> tuple[float, int, int]:
    """The number that begins at `position`: (value, position after it, outcome).

    The buffer must hold a byte that cannot belong to a number (a line feed) after the last one.
    Accepts decimal and scientific notation, `inf`, and `NULL` or `nan` for NULL.
    """
    negative = buffer[position] == 45
    if negative or buffer[position] == 43:
        position += 1
    first = buffer[position]
    if not (48 <= first <= 57 or first == 46):
        return _parse_word(buffer, position, negative)
    digits = np.uint64(0)
    significant = 0
    exponent = 0
    seen = 0
    dropped = False
    point = False
    while True:
        byte = buffer[position]
        if 48 <= byte <= 57:
            seen += 1
            if significant < 19:
                digits = digits * np.uint64(10) + np.uint64(byte - 48)
                if digits != 0:
                    significant += 1
                if point:
                    exponent -= 1
            else:
                dropped = dropped or byte != 48
                if not point:
                    exponent += 1
        elif byte == 46 and not point:
            point = True
        else:
            break
        position += 1
    if seen == 0:
        return 0.0, position, NOT_A_NUMBER
    if buffer[position] == 101 or buffer[position] == 69:
        power, position, well_formed = _parse_exponent(buffer, position + 1)
        if not well_formed:
            return 0.0, position, NOT_A_NUMBER
        exponent += power
    value, decided = _to_double(digits, exponent, dropped)
    return (-value if negative else value), position, (NUMBER if decided else UNDECIDED)


@compiled
def _parse_exponent(buffer: NDArray[np.uint8], position: int) -> tuple[int, int, bool]:
    negative = buffer[position] == 45
    if negative or buffer[position] == 43:
        position += 1
    power = 0
    begin = position
    while 48 <= buffer[position] <= 57:
        if power < 100_000:
            power = power * 10 + int(buffer[position]) - 48
        position += 1
    return (-power if negative else power), position, position > begin


@compiled
def _parse_word(buffer: NDArray[np.uint8], position: int, negative: bool) -> tuple[float, int, int]:
    """`NULL`, `nan` and `inf`/`infinity` in either case, read as a number over the alphabet."""
    word = 0
    length = 0
    while length < 9:
        letter = int(buffer[position + length]) | 32
        if not 97 <= letter <= 122:
            break
        word = word * 26 + letter - 97
        length += 1
    if word == WORD_NULL and length == 4:
        return math.nan, position + length, NULL
    if word == WORD_NAN and length == 3:
        return math.nan, position + length, NULL
    if (word == WORD_INF and length == 3) or (word == WORD_INFINITY and length == 8):
        return (-math.inf if negative else math.inf), position + length, NUMBER
    return 0.0, position, NOT_A_NUMBER


def _word_number(word: str) -> int:
    number = 0
    for letter in word:
        number = number * 26 + ord(letter) - ord("a")
    return number


WORD_NULL, WORD_NAN = _word_number("null"), _word_number("nan")
WORD_INF, WORD_INFINITY = _word_number("inf"), _word_number("infinity")


@compiled
def _to_double(digits: np.uint64, exponent: int, dropped: bool) -> tuple[float, bool]:
    """digits · 10^exponent; with digits dropped, the answer must be the same one unit higher."""
    if not dropped and digits <= np.uint64(9007199254740992):
        if 0 <= exponent <= 22:
            return float(digits) * TENS[exponent], True
        if -22 <= exponent < 0:
            return float(digits) / TENS[-exponent], True
    value = _nearest_double(digits, exponent)
    if dropped and _nearest_double(digits + ONE, exponent) != value:
        return value, False
    return value, True


@compiled
def _nearest_double(digits: np.uint64, exponent: int) -> float:
    """digits · 10^exponent, rounded to nearest, ties to even (Lemire 2021, Algorithm 1)."""
    if digits == 0 or exponent < SMALLEST_POWER:
        return 0.0
    if exponent > LARGEST_POWER:
        return math.inf
    zeros = 0
    while digits >> np.uint64(63) == 0:
        digits <<= ONE
        zeros += 1
    high, low = _multiply(digits, FIVES[exponent - SMALLEST_POWER, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        carry, _ = _multiply(digits, FIVES[exponent - SMALLEST_POWER, 1])
        low = low + carry
        if low < carry:
            high += ONE
    upper = int(high >> np.uint64(63))
    shift = np.uint64(upper + 9)
    mantissa = high >> shift
    binary = ((217706 * exponent) >> 16) + 63 + upper - zeros + 1023
    if binary <= 0:
        if 1 - binary >= 64:
            return 0.0
        mantissa >>= np.uint64(1 - binary)
        mantissa = (mantissa + (mantissa & ONE)) >> ONE
        return math.ldexp(float(mantissa), -1074)
    tie = low <= ONE and -4 <= exponent <= 23 and mantissa & np.uint64(3) == ONE
    if tie and mantissa << shift == high:
        mantissa &= ~ONE
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    if mantissa >= np.uint64(1 << 53):
        mantissa >>= ONE
        binary += 1
    if binary >= 2047:
        return math.inf
    return math.ldexp(float(mantissa), binary - 1075)


@compiled
def _multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product as two words."""
    a_high, a_low = a >> HALF_WIDTH, a & LOW_HALF
    b_high, b_low = b >> HALF_WIDTH, b & LOW_HALF
    middle = a_high * b_low + ((a_low * b_low) >> HALF_WIDTH)
    other = a_low * b_high + (middle & LOW_HALF)
    return a_high * b_high + (middle >> HALF_WIDTH) + (other >> HALF_WIDTH), a * b
