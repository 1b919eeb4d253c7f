"""How quick the command line starts: `rankwise --help`, and `import rankwise` beyond numpy.

    python benchmarks/startup.py [--repeat 10]

Beside Python itself and numpy, each in fresh processes; the median is printed, since these
machines are noisy.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import numpy, rankwise": ["-c", "import numpy, rankwise"],
    "rankwise --help": ["-m", "rankwise", "--help"],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=10)
    repeat = parser.parse_args().repeat
    medians = {name: seconds(arguments, repeat) for name, arguments in COMMANDS.items()}
    for name, median in medians.items():
        print(f"{name:24}{median:7.3f} s")
    beyond = medians["import numpy, rankwise"] - medians["import numpy"]
    print(f"import rankwise beyond numpy's own import: {beyond:.3f} s")


def seconds(arguments: list[str], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


if __name__ == "__main__":
    main()
