"""Training goes on where it stopped when its states are loaded for other devices."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.optimizer import Optimizer

ONE, OTHER, TWO = [mx.cpu(0)], [mx.cpu(1)], [mx.cpu(1), mx.cpu(2)]
OPTIMIZERS = sorted(set(Optimizer.opt_registry) - {"test", "sgld"})  # a test's; draws noise


def _parameter(contexts: list[mx.Context]) -> gluon.Parameter:
    found = gluon.Parameter("w", shape=(3, 2))
    found.initialize(init=mx.init.One(), ctx=contexts)
    return found


def _trainer(parameter: gluon.Parameter, name: str, update_on_kvstore: Any) -> gluon.Trainer:
    schedule = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=0.4)
    settings = {"learning_rate": 0.4, "lr_scheduler": schedule}
    return gluon.Trainer([parameter], name, settings, update_on_kvstore=update_on_kvstore)


def _train(parameter: gluon.Parameter, trainer: gluon.Trainer, steps: int) -> None:
    contexts = parameter.list_ctx()
    for _ in range(steps):
        with autograd.record():
            losses = [(w * w).sum() / len(contexts) for w in parameter.list_data()]
        autograd.backward(losses)
        trainer.step(1)


def _stopped_and_continued(
    folder: Path, name: str, before: list[mx.Context], after: list[mx.Context], on_store: Any
) -> Any:
    parameter = _parameter(before)
    trainer = _trainer(parameter, name, on_store)
    _train(parameter, trainer, 3)
    trainer.save_states(str(folder / "states"))
    other = _parameter(after)
    other.set_data(nd.array(parameter.data(before[0]).asnumpy()))
    next_one = _trainer(other, name, on_store)
    next_one.load_states(str(folder / "states"))
    _train(other, next_one, 3)
    return other.data(after[0]).asnumpy()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_counts_continue_on_another_device(name: str, tmp_path: Path) -> None:
    usual = _stopped_and_continued(tmp_path, name, ONE, ONE, None)
    np.testing.assert_array_equal(_stopped_and_continued(tmp_path, name, ONE, OTHER, None), usual)


@pytest.mark.parametrize("on_store", [True, False])
@pytest.mark.parametrize(("before", "after"), [(ONE, TWO), (TWO, ONE), (TWO, TWO[::-1])])
def test_counts_continue_on_more_or_fewer_devices(
    before: list[mx.Context], after: list[mx.Context], on_store: bool, tmp_path: Path
) -> None:
    usual = _stopped_and_continued(tmp_path, "adam", ONE, ONE, on_store)
    moved = _stopped_and_continued(tmp_path, "adam", before, after, on_store)
    np.testing.assert_allclose(moved, usual, rtol=1e-6)


def test_devices_of_one_run_are_counted_alike() -> None:
    parameter = _parameter(TWO)
    _train(parameter, _trainer(parameter, "adam", False), 3)
    (first, second) = (w.asnumpy() for w in parameter.list_data())
    np.testing.assert_array_equal(first, second)
