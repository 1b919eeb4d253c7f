"""`rankwise train --scheduler`: training over a cluster, whose workers alone read the data."""

from __future__ import annotations

from pathlib import Path

from rankwise.cli.output import progress
from rankwise.cli.rankers.training_progress import Interruption, watching
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.experiments.engines.dask import connected
from rankwise.rankers.cluster.spread_data import spread
from rankwise.rankers.cluster.spreading import SpreadingRanker, spreading
from rankwise.rankers.ranker import Model, Ranker


def fitted_on_cluster(
    ranker: Ranker,
    data: Path,
    validation_file: Path | None,
    zero_based: bool,
    scheduler: str,
    shares: int | None,
    interruption: Interruption,
) -> tuple[Model, dict[str, Dataset]]:
    """The model, and the validation data, which are all that is read here."""
    able: SpreadingRanker = spreading(type(ranker))(**ranker.parameters())
    validation = None
    if validation_file is not None:
        with progress("reading"):
            validation = read(validation_file, zero_based=zero_based)

    def give_up() -> None:
        if interruption.asked:
            raise KeyboardInterrupt

    with connected(scheduler) as client:
        with progress("the workers read"):
            width = 0 if validation is None else validation.n_features
            train = spread(client, data, shares=shares, zero_based=zero_based, n_features=width,
                           tick=give_up)  # fmt: skip
        if validation is not None:
            validation = validation.widened(train.n_features)
        with watching(ranker.name, interruption) as watch:
            model = able.fit_on_cluster(train, validation, watch=watch)
    return model, {} if validation is None else {"validation": validation}
