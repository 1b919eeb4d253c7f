"""Draw docs/pictures/dearank-frontier.svg: one query's documents in two features.

python docs/dearank_frontier.py

The documents are made up. Everything drawn comes from `rankwise.rankers.dea.programs`.
"""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from rankwise.files import write_text
from rankwise.rankers.dea.programs import optimal_weights

Floats = NDArray[np.float64]

TARGET = Path(__file__).parent / "pictures" / "dearank-frontier.svg"
EFFICIENT, INSIDE, SHOWN = "#0b5c8a", "#8a8a8a", "#c2410c"
DOCUMENTS = np.array(
    [
        [1.00, 0.14], [0.94, 0.52], [0.74, 0.83], [0.42, 0.97], [0.10, 1.00], [0.62, 0.45],
        [0.30, 0.58], [0.78, 0.22], [0.20, 0.20], [0.45, 0.28], [0.52, 0.70], [0.10, 0.42],
        [0.84, 0.40], [0.33, 0.80],
    ]
)  # fmt: skip
LOOKED_AT = 5


def main() -> None:
    """Solve CCR-I for every document and draw what it says."""
    solved = optimal_weights(DOCUMENTS, np.zeros(len(DOCUMENTS)), "ccr-i")
    with matplotlib.rc_context({"svg.hashsalt": "rankwise", "font.size": 8}):
        figure = Figure(figsize=(5.2, 4.0), layout="constrained")
        draw(figure.add_subplot(), solved.weights, solved.values)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": "Rankwise"})
    write_text(TARGET, "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n")


def draw(axes: Axes, weights: Floats, values: Floats) -> None:
    """Documents, the frontier they span, and one document's way to it."""
    efficient = values >= 1.0 - 1e-9
    corners = frontier(DOCUMENTS[efficient])
    axes.fill(*np.vstack([[0, 0], corners]).T, color=EFFICIENT, alpha=0.06, linewidth=0)
    axes.plot(*corners.T, color=EFFICIENT, linewidth=1.2, label="frontier: best μ·x is 1")
    axes.scatter(*DOCUMENTS[efficient].T, color=EFFICIENT, zorder=3, label="efficient documents")
    axes.scatter(*DOCUMENTS[~efficient].T, color=INSIDE, zorder=3, label="other documents")
    draw_one(axes, DOCUMENTS[LOOKED_AT], weights[LOOKED_AT], values[LOOKED_AT])
    axes.set(xlabel="feature 1", ylabel="feature 2", xlim=(0, 1.55), ylim=(0, 1.12))
    axes.legend(loc="upper right", frameon=False)


def draw_one(axes: Axes, document: Floats, weights: Floats, value: float) -> None:
    """The line μ·x = 1 of the document's best weights, and the ray that meets it."""
    reached = document / value
    axes.plot([0, reached[0]], [0, reached[1]], color=SHOWN, linewidth=0.9, linestyle="--")
    across = np.array([0.6, 1.16])
    axes.plot(across, (1.0 - weights[0] * across) / weights[1], color=SHOWN, linewidth=1.0)
    axes.scatter(*document, color=SHOWN, zorder=4)
    axes.annotate(
        f"document k:\n{value:.2f} of the way",
        document,
        (-66, 8),
        textcoords="offset points",
        color=SHOWN,
    )
    axes.annotate(
        f"its weak ranker:\n{weights[0]:.2f} x₁ + {weights[1]:.2f} x₂",
        (1.1, (1.0 - weights[0] * 1.1) / weights[1]),
        (8, 6),
        textcoords="offset points",
        color=SHOWN,
    )


def frontier(efficient: Floats) -> Floats:
    """From the axis along the efficient documents, by their first feature, to the other axis."""
    ordered = efficient[np.argsort(efficient[:, 0])]
    first, last = ordered[0], ordered[-1]
    return np.vstack([[0.0, first[1]], ordered, [last[0], 0.0]])


if __name__ == "__main__":
    main()
