"""Steps of optimizers in only the rows that a gradient stores: lazy updates, in MXNet's terms."""

from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.operator import Array
from gluonic.graph.storage.forms import Kinds, stored
from gluonic.graph.storage.values import DEFAULT, ROW_SPARSE, RowSparse, Value, known_rows
from gluonic.graph.versions import mark_modified
from gluonic.support.suppress_fp_warnings import quietly


def all_rows(value: Value) -> Array:
    """The memory of all rows of a value, for writing; a row_sparse value is changed to store all rows."""
    if not isinstance(value, RowSparse):
        assert isinstance(value, np.ndarray)
        return value
    if len(value.indices) != value.shape[0] or not value.is_sorted():
        value.data, value.indices = value.dense(), np.arange(value.shape[0])
    return value.data


def _step_kind(application: Application, kinds: Kinds) -> str | None:
    """The weight's kind, if only the gradient is row_sparse or everything is; for FTRL, if everything is."""
    weight, grad, *states = kinds
    is_lazy = application.settings.get("lazy_update", True)
    if grad != ROW_SPARSE or not is_lazy or set(states) - {weight}:
        return None
    return None if weight == DEFAULT and application.op.name == "ftrl_update" else weight


@stored(
    *("sgd_update", "sgd_mom_update", "adam_update", "ftrl_update"),
    *("_sparse_adagrad_update", "_contrib_group_adagrad_update"),
    gives=_step_kind,
)
def _step(application: Application, weight: Any, grad: RowSparse, *states: Any) -> Value:
    grad = grad.ordered()
    rows, targets = grad.indices, [all_rows(state) for state in states]
    new = all_rows(weight).copy()
    chosen = [new[rows], grad.data, *(target[rows] for target in targets)]
    new[rows] = quietly(application.execute, chosen, None)[0]
    for target, updated in zip(targets, chosen[2:], strict=True):
        target[rows] = updated
        mark_modified(target)
    return known_rows(new, np.arange(len(new)), new.shape) if isinstance(weight, RowSparse) else new
