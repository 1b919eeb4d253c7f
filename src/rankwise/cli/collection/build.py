"""`rankwise build`: from a corpus, queries and judgements to a LETOR data set."""

from __future__ import annotations

import click

from rankwise.cli.collection.corpus import corpus_command
from rankwise.cli.collection.depths import depths_command
from rankwise.cli.collection.features import features_command
from rankwise.cli.collection.tune import tune_command
from rankwise.cli.collection.two_stages import stages_command


class _CorpusFirst(click.Group):
    """What does not begin with the name of a command is a corpus, or an option of its build."""

    default_command = "corpus"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_CorpusFirst)
def build() -> None:
    """Build LETOR data sets: words, samples, features, folds, metadata.

    \b
    rankwise build CORPUS … is short for rankwise build corpus CORPUS …;
    rankwise build corpus --help lists its options.

    \b
    Examples:
      rankwise build cran.all.1400 --queries cran.qry --qrels cranqrel \\
          --labels cleverdon --depth 100 -o cranfield
      rankwise build cacm.all --queries query.text --qrels qrels.text --depth 100 -o cacm
      rankwise build --demo -o python-documentation
      rankwise build depths cranfield
      rankwise build features --from-metadata cranfield/Meta -o tuned --k1 0.9
      rankwise build stages cranfield
      rankwise build tune cranfield/Meta
    """


for command in (corpus_command, depths_command, features_command, stages_command, tune_command):
    build.add_command(command)
