"""`rankwise completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    Examples:
      eval "$(rankwise completion bash)"          # in ~/.bashrc
      eval "$(rankwise completion zsh)"           # in ~/.zshrc
      rankwise completion fish > ~/.config/fish/completions/rankwise.fish
    """
    from rankwise.cli.main import main

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion is known for the shell {shell}")
    click.echo(found(main, {}, "rankwise", "_RANKWISE_COMPLETE").source())
