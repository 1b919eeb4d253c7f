"""SVG elements as safe markup: every attribute and every text is escaped where it is put in."""

from __future__ import annotations

from markupsafe import Markup, escape


def element(tag: str, /, *children: str | Markup, **attributes: object) -> Markup:
    """An element; `class_` and `aria_label` are written `class` and `aria-label`.

    An attribute of None is left out. Numbers are written with two decimals at most.
    """
    parts = [
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), write_number(value))
        for name, value in attributes.items()
        if value is not None
    ]
    inner = Markup("").join(escape(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup("").join(parts), inner)


def canvas(width: float, height: float, label: str, *children: Markup, kind: str = "") -> Markup:
    """A picture that says in words what it shows."""
    return element(
        "svg",
        *children,
        viewBox=f"0 0 {write_number(width)} {write_number(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=kind or None,
    )


def write_number(value: object) -> str:
    """A coordinate in as few characters as do; anything else as it is."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
