"""The readers in C: LETOR rows, plain, compressed and in shares, scores, qrels and runs."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from random import Random
from typing import get_args
from unittest import mock

import zstandard

from rankwise.data.formats import letor_chunks, letor_reader
from rankwise.data.formats.letor_reader import RepeatedQueries, cut_into_shares, read_letor
from rankwise.data.formats.letor_writer import NUMBER_STYLES, write_letor
from rankwise.data.formats.score_files import Missing, Reading, read_scores
from rankwise.data.formats.trec import read_qrels, read_run
from rankwise.errors import FormatError
from tests.fuzz.mutators import cut_off, flip_bits
from tests.fuzz.reader import Reader

FEW_CELLS = 10_000
MOST_BLOCKS = 50
PACKERS = (gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress)


def _letor(path: Path, rng: Random) -> None:
    """Read in blocks of any size, write what was read, and read it again to the same bits.

    Now and then beside a file that says how many rows each query has.
    """
    side = path.with_name("input.query")
    side.unlink(missing_ok=True)
    if rng.random() < 0.1:
        side.write_bytes(rng.choice((b"2\n1\n", b"1\n1\n1\n", b"12\n", b"-1\n4\n", b"9" * 30)))
    block = max(rng.choice((16, 64, 1 << 12, 1 << 22)), path.stat().st_size // MOST_BLOCKS)
    with mock.patch.multiple(
        letor_chunks, BLOCK_BYTES=block, SAMPLE_BYTES=rng.choice((4, 1 << 15))
    ):
        dataset = read_letor(
            path,
            zero_based=rng.random() < 0.1,
            repeated_queries=rng.choice(get_args(RepeatedQueries)),
            threads=rng.choice((1, 2)),
        )
    if dataset.features.size <= FEW_CELLS and len(set(dataset.query_ids)) == dataset.n_queries:
        again = path.with_name("again.txt")
        with mock.patch("os.fsync"):
            write_letor(dataset, again, numbers="shortest")
            assert read_letor(again).equals(dataset), "written and read again it is not the same"
            write_letor(dataset, again, numbers=rng.choice(tuple(NUMBER_STYLES)))


def _faults(path: Path, rng: Random) -> None:
    """All lines that cannot be read; the first of them is the one at which reading ends."""
    zero_based = rng.random() < 0.1
    with mock.patch.object(letor_reader, "BLOCK_BYTES", rng.choice((16, 300, 1 << 20))):
        found = letor_reader.find_faults(path, zero_based=zero_based)
    assert [one.line for one in found] == sorted({one.line for one in found}), "lines must rise"
    try:
        read_letor(path, zero_based=zero_based, repeated_queries="separate", threads=1)
    except FormatError as error:
        assert not found or found[0].line == error.line, "the first fault must be the first one"
        raise
    assert not found, "a file that is read must have no fault"


def _packed_letor(path: Path, rng: Random) -> None:
    """The same, compressed; sometimes damaged after that."""
    packed = rng.choice(PACKERS)(path.read_bytes())
    path.write_bytes(
        rng.choice((flip_bits, cut_off))(packed, rng) if rng.random() < 0.3 else packed
    )
    _letor(path, rng)


def _shares(path: Path, rng: Random) -> None:
    for share in cut_into_shares(path, rng.randint(1, 5)):
        share.read(1)


def _scores(path: Path, rng: Random) -> None:
    read_scores(
        path,
        rng.choice((None, None, 4, 40)),
        reading=rng.choice(get_args(Reading)),
        nan=rng.choice(get_args(Missing)),
    )


LETOR_SEEDS = (
    b"2 qid:10 1:0.03 2:0.666667 3:NULL 4:1 #docid = GX008-86 inc = 1 prob = 0.086622\n"
    b"0 qid:10 1:0.12 2:0.333333 3:0 4:0.5 #docid = GX037-06 inc = 0.0119 prob = 0.138842\n"
    b"1 qid:18 1:-4.5e-3 2:12.000001 3:7 4:1e5 #docid = GX040-33 inc = 1 prob = 0.07\n",
    b"# a head\n\n1 qid:a 1:2 5:3\r\n0.5 qid:a 2:4.123456789012345678901 7:5\r\n1 qid:b\t3:1 \n",
    b"3 qid:q 1:5 2:6\n1 qid:q 1:0.1 4:0.2\n0 qid:q 2:1e-300\n",
    b"".join(
        b"%d qid:%d %s\n"
        % (row % 3, row // 4, b" ".join(b"%d:0.%06d" % (i, row * i) for i in range(1, 20)))
        for row in range(12)
    ),
)
SCORE_SEEDS = (
    b"0.5\n-1.25\n3e-2\n17\n",
    b"9007199254740993\n1\n" * 20,
    b"1.5\r\n2.5\r\nnan\r\ninf\r\n",
    b"0.123456789012345678901234567890\n-4.9e-324\n1e308\n1 2 3\n",
)
QRELS_SEEDS = (
    b"301 0 FR940202-2-00150 1\n301 0 FR940104-0-00001 0\n302 0 a 2\n",
    b"1\t0\td\xc3\xa9\t-1\r\n1\t0\te\t0.5\r\n\r\n2\t0\td\t1\r\n",
    b"".join(b"%d 0 doc%d %d\n" % (row // 5, row, row % 3) for row in range(30)),
)
RUN_SEEDS = (
    b"301 Q0 FR940202-2-00150 1 2.129 bm25\n301 Q0 FR940104-0-00001 2 2.128 bm25\n",
    b"1 Q0 a 1 9.5e1 t\xc3\xa4g\r\n2 Q0 a 1 -inf t\r\n",
    b"".join(b"%d Q0 doc%d %d %d.%d run\n" % (r // 9, r, r % 9, 90 - r, r) for r in range(40)),
)

TEXT_READERS = {
    "letor": Reader(lambda: LETOR_SEEDS, _letor),
    "letor-faults": Reader(lambda: LETOR_SEEDS, _faults),
    "letor-packed": Reader(lambda: LETOR_SEEDS, _packed_letor),
    "shares": Reader(lambda: LETOR_SEEDS, _shares),
    "scores": Reader(lambda: SCORE_SEEDS, _scores),
    "qrels": Reader(lambda: QRELS_SEEDS, lambda path, rng: read_qrels(path)),
    "runs": Reader(lambda: RUN_SEEDS, lambda path, rng: read_run(path)),
}
