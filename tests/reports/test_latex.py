"""Tables and figures for papers, set by a real LaTeX into one page; skipped where there is none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.comparison import compare
from rankwise.comparison.significance_of_systems import significance
from rankwise.experiments.summary import summarize
from rankwise.reports.bench_report import make_summary_table, mark_summaries
from rankwise.reports.comparison_report import make_report
from rankwise.reports.comparison_tables import make_ranking_table, make_significance_tables
from rankwise.reports.drawing.renderer import save
from rankwise.results.store.store import Store
from rankwise.tables.table import Table, format_latex, shape_table

from .made_queries import METHODS, make_store

PAGE = r"""
\documentclass[10pt]{article}
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,graphicx}
\setlength{\parindent}{0pt}
\begin{document}
%s
\end{document}
"""
HOSTILE = Table(("a",), ("A",), ((r"$x_1^2$ \input{a} 50% & #~<>| – … ± \textbf{",),))


def make_tables(store: Path) -> list[Table]:
    with Store.read(store) as opened:
        values = opened.values()
    marks = mark_summaries(store, values, against="bm25", margin="folds")
    summaries = [make_summary_table(one, marks) for one in summarize(values)]
    tested = make_significance_tables(significance(store, measures="MAP"))
    ranking = make_ranking_table(compare(store))
    chosen = shape_table(ranking, "method,nwn,wn,iwn")
    turned = shape_table(ranking, "method,nwn", True)
    return [*summaries, *tested, *chosen, *turned, HOSTILE]


def test_tables_and_figures_are_set_into_one_page(tmp_path: Path) -> None:
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("pdflatex is not on PATH: nothing is set")
    for package in ("geometry", "booktabs", "graphicx"):
        if subprocess.run(["kpsewhich", f"{package}.sty"], capture_output=True).returncode != 0:
            pytest.skip(f"LaTeX has no package {package} here: nothing is set")
    store = make_store(tmp_path / "results.sqlite")
    report = make_report(compare(store), "one")
    names = ("means-ndcg-10", "differences-ndcg-10", "queries-ndcg-10")
    parts = ["\n".join([format_latex(table), r"\bigskip\par"]) for table in make_tables(store)]
    for figure in report.all_figures:
        if figure.name in names:
            save(figure, tmp_path, ["pdf"])
            parts.append(rf"\includegraphics[width=.32\textwidth]{{{figure.name}}}")
    (tmp_path / "page.tex").write_text(PAGE % "\n".join(parts), encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Output written on page.pdf (1 page" in done.stdout
    assert "Overfull" not in done.stdout
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF-")


def test_marks_and_margins_stand_where_they_were_found(tmp_path: Path) -> None:
    store = make_store(tmp_path / "results.sqlite")
    summary, *_ = make_tables(store)
    text = format_latex(summary)
    rows = {line.split(" & ")[0]: line for line in text.splitlines() if " & " in line}
    assert r"\textbf{" in rows["better"] and "$^{+}$" in rows["better"]
    assert "$^{+}$" not in rows["bm25"] and r"$\pm$" in rows["bm25"]
    level = METHODS[2].replace("<", r"\textless{}").replace(">", r"\textgreater{}")
    assert set(rows) == {"Method", "bm25", "better", level}
