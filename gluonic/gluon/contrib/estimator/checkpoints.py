"""The handler that saves parameters and the trainer's states, and resumes from them."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic.gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin
from gluonic.gluon.contrib.estimator.monitored import comparison, value_of, worst
from gluonic.graph.errors import AttributeValueError, FileFormatError, MismatchError, describe
from gluonic.metric import EvalMetric

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = ["CheckpointHandler"]


class _Trained(NamedTuple):
    """The number of the last epoch and of the last batch of a checkpoint; -1 before the first."""

    epoch: int
    batch: int


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Save parameters and the trainer's states as ``model_prefix-epochEbatchB.params`` and ``.states``.

    The graph of a hybridized net is saved once, as ``model_prefix-symbol.json``.

    Parameters
    ----------
    model_dir : the folder; created if it does not exist
    model_prefix : prefix of the files' names
    monitor : the metric that decides which checkpoint is the best
    verbose : with 1, log each checkpoint
    save_best : whether to save the best as ``model_prefix-best.params`` and ``.states``, too
    mode : ``"min"`` or ``"max"`` of the metric is best; ``"auto"`` is max, as in MXNet, and warns
    epoch_period : save after this many epochs; None never
    batch_period : save after this many batches; None never
    max_checkpoints : number of checkpoints of this training to keep, besides the best
    resume_from_checkpoint : whether to load the newest checkpoint first, and to train only the rest

    Raises
    ------
    ValueError
        if `save_best` is set without a metric
    """

    def __init__(
        self,
        model_dir: str,
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        self.monitor, self.verbose, self.save_best = monitor, verbose, save_best
        self.model_dir, self.model_prefix = model_dir, model_prefix
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.current_batch = self.current_epoch = 0
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.saved_checkpoints: list[str] = []
        if save_best:
            if not isinstance(monitor, EvalMetric):
                raise AttributeValueError(
                    "CheckpointHandler: save_best needs a monitor: one of estimator.train_metrics or "
                    f"estimator.val_metrics, not {monitor!r}"
                )
            self.monitor_op = comparison(monitor, mode, "CheckpointHandler")
            self.best = worst(self.monitor_op)
        Path(model_dir).mkdir(parents=True, exist_ok=True)

    def train_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Count from zero, or resume where the newest checkpoint ends."""
        self.current_epoch = self.current_batch = 0
        if self.save_best:
            self.best = worst(self.monitor_op)
        if self.resume_from_checkpoint:
            self._check_periods(estimator)
            self._resume(estimator)

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Save the graph after the first batch, and a checkpoint if one is due."""
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save_checkpoint(estimator)
        self.current_batch += 1

    def epoch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Save a checkpoint, if one is due."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save_checkpoint(estimator)
        self.current_epoch += 1

    # Saving

    def _path_of(self, name: str) -> Path:
        return Path(self.model_dir) / name

    def _save_symbol(self, estimator: "Estimator") -> None:
        file = self._path_of(f"{self.model_prefix}-symbol.json")
        graph = getattr(estimator.net, "_cached_graph", None)
        if graph:
            graph[1].save(str(file))
        else:
            estimator.logger.info(
                "CheckpointHandler: no graph is saved as %s: the net is not hybridized", file
            )

    def _save_checkpoint(self, estimator: "Estimator") -> None:
        epoch, batch = self.current_epoch, self.current_batch
        if self.resume_from_checkpoint:
            epoch += self.trained_epoch + 1
            batch += self.trained_batch + (not estimator.max_epoch)
        prefix = f"{self.model_prefix}-epoch{epoch}batch{batch}"
        self._save_files(estimator, prefix)
        self.saved_checkpoints.append(prefix)
        if len(self.saved_checkpoints) > self.max_checkpoints:
            oldest = self.saved_checkpoints.pop(0)
            for file in self._files(oldest):
                file.unlink(missing_ok=True)
        self._log(estimator, f"{self.current_batch + 1} batches trained, saved as {prefix}")
        if self.save_best:
            self._save_best(estimator)

    def _save_best(self, estimator: "Estimator") -> None:
        assert self.monitor is not None
        value = value_of(self.monitor, "CheckpointHandler")
        if value is None:
            return
        name, prefix = self.monitor.get()[0], f"{self.model_prefix}-best"
        if not self.monitor_op(value, self.best):
            self._log(estimator, f"{name} has not become better than {self.best:.5f}")
            return
        self._save_files(estimator, prefix)
        self._log(estimator, f"{name} went from {self.best:.5f} to {value:.5f}, saved as {prefix}")
        self.best = value

    def _save_files(self, estimator: "Estimator", prefix: str) -> None:
        parameters, states = self._files(prefix)
        estimator.net.save_parameters(str(parameters))
        estimator.trainer.save_states(str(states))

    def _files(self, prefix: str) -> tuple[Path, Path]:
        return self._path_of(f"{prefix}.params"), self._path_of(f"{prefix}.states")

    def _log(self, estimator: "Estimator", text: str) -> None:
        if self.verbose > 0:
            estimator.logger.info("[Epoch %d] CheckpointHandler: %s", self.current_epoch, text)

    # Going on

    def _check_periods(self, estimator: "Estimator") -> None:
        """Raise an error for checkpoints per epoch if training counts batches, and vice versa."""
        for unit, most, period, other in (
            ("batches", estimator.max_batch, self.batch_period, self.epoch_period),
            ("epochs", estimator.max_epoch, self.epoch_period, self.batch_period),
        ):
            if most and (other or not period):
                raise MismatchError(
                    describe(
                        f"training counts {unit}, so it can only be resumed from checkpoints after {unit}",
                        where="CheckpointHandler",
                        facts=[
                            f"epoch_period={self.epoch_period}, batch_period={self.batch_period}"
                        ],
                        hint=f"{'batch' if unit == 'batches' else 'epoch'}_period alone",
                    )
                )

    def _newest(self) -> _Trained:
        """The latest batch of the latest epoch among the existing checkpoints."""
        begin = f"{self.model_prefix}-epoch"
        found = [_Trained(-1, -1)]
        for file in Path(self.model_dir).glob("*.params"):
            if file.name.startswith(begin):
                numbers = re.fullmatch(r"(\d+)batch(\d+)", file.stem.removeprefix(begin))
                if numbers is None:
                    raise FileFormatError(
                        f"CheckpointHandler: {file} is not named {begin}Ebatch….params, with numbers"
                    )
                found.append(_Trained(int(numbers[1]), int(numbers[2])))
        return max(found)

    def _resume(self, estimator: "Estimator") -> None:
        self.trained_epoch, self.trained_batch = trained = self._newest()
        if trained.epoch == -1:
            wanted = (
                f"{estimator.max_batch} batches"
                if estimator.max_batch
                else f"{estimator.max_epoch} epochs"
            )
            estimator.logger.info(
                "CheckpointHandler: there is no checkpoint; all %s are trained", wanted
            )
            return
        epochs = _left(estimator.max_epoch, trained.epoch, "epochs")
        batches = _left(estimator.max_batch, trained.batch, "batches")
        prefix = f"{self.model_prefix}-epoch{trained.epoch}batch{trained.batch}"
        parameters, states = self._files(prefix)
        if not states.exists():
            raise MismatchError(f"CheckpointHandler: {parameters} is there, {states} is not")
        estimator.net.load_parameters(str(parameters), ctx=estimator.context)
        estimator.trainer.load_states(str(states))
        estimator.max_epoch, estimator.max_batch = epochs, batches
        estimator.logger.warning(
            "CheckpointHandler: resumed from epoch %d batch %d; %d %s are left",
            *trained,
            epochs or batches,
            "epochs" if epochs else "batches",
        )


def _left(most: int | None, trained: int, unit: str) -> int | None:
    """The number of epochs or batches left to train."""
    if not most:
        return most
    if trained >= most - 1:
        raise AttributeValueError(
            f"CheckpointHandler: the checkpoint has all {most} {unit} already; "
            "resume_from_checkpoint=False trains from scratch"
        )
    return most - trained - 1
