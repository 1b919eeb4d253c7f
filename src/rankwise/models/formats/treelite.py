"""Treelite's checkpoint of trees, made by its own model builder, in double precision.

Checkpoints run in Treelite's own reference implementation of inference, GTIL.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, run_in
from rankwise.models.formats.tree_nodes import FlatTree, additive_trees, flatten
from rankwise.models.model_file import ModelFile, read_model_bytes


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """The bytes of a checkpoint, which Treelite of the same major version reads."""
    try:
        import treelite
        from treelite import model_builder
    except ImportError as error:
        raise MissingExtra("a Treelite checkpoint", "exports") from error
    trees = [flatten(tree) for tree in additive_trees(file.model.scorer)]
    trees = trees or [FlatTree(values=[0.0])]
    builder = model_builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=model_builder.Metadata(
            num_feature=file.model.scorer.n_features,
            task_type="kRegressor",
            average_tree_output=False,
            num_target=1,
            num_class=[1],
            leaf_vector_shape=(1, 1),
        ),
        tree_annotation=model_builder.TreeAnnotation(
            num_tree=len(trees), target_id=[0] * len(trees), class_id=[0] * len(trees)
        ),
        postprocessor=model_builder.PostProcessorFunc(name="identity"),
        base_scores=[0.0],
    )
    for tree in trees:
        _add(builder, tree)
    content: bytes = builder.commit().serialize_bytes()
    return content, [f"read by Treelite {treelite.__version__.split('.')[0]}"]


def _add(builder: Any, tree: FlatTree) -> None:
    """Nodes keep their numbers as keys; leaves come after them."""
    inner = len(tree.splits)

    def key(child: int) -> int:
        return child if child >= 0 else inner - 1 - child

    builder.start_tree()
    for number, split in enumerate(tree.splits):
        builder.start_node(number)
        builder.numerical_test(
            feature_id=split.column,
            threshold=split.threshold,
            default_left=split.null_left,
            opname="<=",
            left_child_key=key(tree.left[number]),
            right_child_key=key(tree.right[number]),
        )
        builder.end_node()
    for number, value in enumerate(tree.values):
        builder.start_node(inner + number)
        builder.leaf(value)
        builder.end_node()
    builder.end_tree()


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A checkpoint, on one thread."""
    try:
        import treelite
        from treelite import gtil
    except ImportError as error:
        raise MissingExtra("running a Treelite checkpoint", "exports") from error
    try:
        model = treelite.Model.deserialize_bytes(read_model_bytes(path))
    except treelite.TreeliteError as error:
        raise RankwiseError(f"Treelite cannot load {path}: {error}") from error

    def score(rows: Floats) -> Floats:
        found = gtil.predict(model, np.ascontiguousarray(rows), nthread=1)
        return np.asarray(found, dtype=np.float64).reshape(len(rows))

    return run_in(f"treelite {treelite.__version__}", score)
