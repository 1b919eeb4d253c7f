"""Writing LETOR text: Rankwise beside scikit-learn's dump, RankLib's and `cat`, in one run.

    RANKWISE_SHARED=… python benchmarks/writing.py [--megabytes 100] [--rounds 5]

A file of random rows (136 features, six decimals) is read once by each writer, in a process of its
own; only writing is timed, round after round, and medians are printed with the ratio to Rankwise.
Rankwise writes to the disk before it is done (it keeps a file whole or not at all); the time
without that wait is printed beside it. RankLib (tools/ranklib of RANKWISE_SHARED, with a Java that
can compile) writes what it read through its FeatureManager; `cat` copies Rankwise's file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from reading import generate

WRITERS = {
    "rankwise": ("from rankwise import read, write\ndata = read(IN)\ndef go(): write(data, OUT)"),
    "rankwise, no fsync": (
        "import os\nfrom rankwise import read, write\nos.fsync = lambda handle: None\n"
        "data = read(IN)\ndef go(): write(data, OUT)"
    ),
    "rankwise, fixed6": (
        "from rankwise import read, write\ndata = read(IN)\n"
        "def go(): write(data, OUT, numbers='fixed6')"
    ),
    "rankwise, 17 digits": (
        "import numpy as np\nfrom rankwise import read, write\ndata = read(IN)\n"
        "data = data.with_features(np.random.default_rng(1).random(data.features.shape))\n"
        "def go(): write(data, OUT)"
    ),
    "scikit-learn": (
        "from rankwise import read\nfrom sklearn.datasets import dump_svmlight_file\n"
        "data = read(IN)\n"
        "def go(): dump_svmlight_file(data.features, data.labels, OUT, zero_based=False,"
        " query_id=data.query_of_rows)"
    ),
}
PROGRAM = """
import sys, time
IN, OUT = sys.argv[1:3]
{setup}
begun = time.perf_counter()
go()
print(time.perf_counter() - begun)
"""
JAVA = """
import ciir.umass.edu.features.FeatureManager;

public class Writing {
    public static void main(String[] names) {
        var lists = FeatureManager.readInput(names[0]);
        for (int round = 0; round < Integer.parseInt(names[2]); round++) {
            long begun = System.nanoTime();
            FeatureManager.save(lists, names[1]);
            System.out.println("seconds " + (System.nanoTime() - begun) / 1e9);
        }
    }
}
"""
MATHEMATICS = Path("/usr/share/java/commons-math3.jar")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder / "in.txt", options.megabytes, 136, 1.0)
        times: dict[str, list[float]] = {}
        sizes: dict[str, int] = {}
        for number in range(options.rounds):
            for writer in WRITERS:
                # It takes minutes, and always the same.
                if writer != "scikit-learn" or number == 0:
                    times.setdefault(writer, []).append(measure(writer, folder))
                    sizes[writer] = (folder / "out.txt").stat().st_size
            times.setdefault("cat", []).append(copy(folder))
            sizes["cat"] = (folder / "copy.txt").stat().st_size
        found = ranklib(folder, options.rounds)
        if found:
            times["RankLib"] = found
            sizes["RankLib"] = (folder / "ranklib.txt").stat().st_size
        report(times, sizes)


def measure(writer: str, folder: Path) -> float:
    program = PROGRAM.format(setup=WRITERS[writer])
    command = [sys.executable, "-c", program, str(folder / "in.txt"), str(folder / "out.txt")]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def copy(folder: Path) -> float:
    import time

    begun = time.perf_counter()
    with (folder / "copy.txt").open("wb") as out:
        subprocess.run(["cat", str(folder / "in.txt")], stdout=out, check=True)
    return time.perf_counter() - begun


def ranklib(folder: Path, rounds: int) -> list[float]:
    """Seconds of every round in one process; none, with the reason, where it cannot run."""
    jar = Path(os.environ.get("RANKWISE_SHARED", "")) / "tools/ranklib/ranklib.jar"
    if not jar.is_file() or not MATHEMATICS.is_file() or shutil.which("javac") is None:
        print("RankLib is left out: it needs RANKWISE_SHARED, javac and libcommons-math3-java")
        return []
    source = folder / "Writing.java"
    source.write_text(JAVA)
    command = ["java", "-Xmx6g", "-cp", f"{jar}:{MATHEMATICS}", str(source)]
    files = [str(folder / "in.txt"), str(folder / "ranklib.txt"), str(rounds)]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=True)
    return [float(line.split()[1]) for line in done.stdout.splitlines() if "seconds" in line]


def report(times: dict[str, list[float]], sizes: dict[str, int]) -> None:
    medians = {name: statistics.median(found) for name, found in times.items()}
    ours = medians["rankwise"] / sizes["rankwise"]
    print(f"{'writer':22}{'MB':>6}{'median s':>10}{'MB/s':>8}{'a byte, to ours':>17}")
    for name, seconds in medians.items():
        size = sizes[name]
        print(
            f"{name:22}{size / 1e6:6.0f}{seconds:10.2f}{size / seconds / 1e6:8.0f}"
            f"{seconds / size / ours:15.2f} x"
        )


if __name__ == "__main__":
    main()
