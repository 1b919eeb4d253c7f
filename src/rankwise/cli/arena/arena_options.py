"""What the commands of an arena share."""

from __future__ import annotations

from pathlib import Path

import click

arena_argument = click.argument("arena", type=click.Path(path_type=Path), metavar="ARENA")
"""The folder of an arena, or its arena.toml."""
task_argument = click.argument("task", metavar="TASK")
"""The name of a task."""
