"""From the first epoch, or the one that was interrupted, to the last: train, choose, save."""

from __future__ import annotations

import logging
import math
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from pyside.errors import InterruptedWorkError, TrainingError
from pyside.runs import Run, copy_whole
from pyside.training.checkpoint import (
    Checkpoint,
    latest_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from pyside.training.config import TrainConfig
from pyside.training.data import EpochBatches, PixelDataset, Split, eval_loader, train_loader
from pyside.training.loop import DivergedError, EpochProgress, Trainer
from pyside.training.prediction import Output, run_model
from pyside.training.seeds import random_state, restore_random_state
from pyside.training.stopping import Watch

logger = logging.getLogger(__name__)

_AUGMENTATION = 1  # sets its random numbers apart from those of the order
MOST_RETURNS = 3


@dataclass(frozen=True)
class Best:
    """The best epoch so far."""

    epoch: int
    accuracy: float | None
    loss: float | None
    chosen_by: str

    def is_beaten_by(self, other: Best) -> bool:
        """By accuracy, then by loss; without validation images the later epoch wins."""
        if self.accuracy is None or self.loss is None:
            return True
        assert other.accuracy is not None
        assert other.loss is not None
        return (other.accuracy, -other.loss) > (self.accuracy, -self.loss)


class Fit:
    """The training of one run.

    Attributes:
        best: the best epoch so far.
    """

    def __init__(
        self,
        run: Run,
        trainer: Trainer,
        dataset: PixelDataset,
        split: Split,
        config: TrainConfig,
        classes: tuple[str, ...],
        data_digest: str,
        watch: Watch,
        *,
        show: bool,
    ) -> None:
        self.best: Best | None = None
        self._run, self._trainer, self._config = run, trainer, config
        self._classes, self._data_digest = classes, data_digest
        self._watch, self._show = watch, show
        self._batches = EpochBatches(split.train, config.batch_size, seed=config.seed)
        loaders = {"workers": config.workers, "device": trainer.device}
        self._loader = train_loader(dataset, self._batches, **loaders)  # type: ignore[arg-type]
        self._val = (
            eval_loader(dataset, split.val, config.batch_size, **loaders)  # type: ignore[arg-type]
            if len(split.val)
            else None
        )
        self._epoch = 0
        self._progress = EpochProgress.begin(trainer.device)
        self._generator = torch.Generator()
        self._returns = 0

    def begin(self, checkpoint: Checkpoint | None) -> None:
        """Go on from a checkpoint, or begin, saved as well."""
        if checkpoint is None:
            self._begin_epoch()
            self._save()
            return
        self._restore(checkpoint)
        self._run.keep_metrics(self._epoch)
        self._mend_best(checkpoint)
        logger.info(
            "going on after %d epochs and %d batches of the next",
            self._epoch,
            self._progress.batches,
        )

    def to_the_end(self) -> Best:
        """Train all epochs that are left.

        Raises:
            InterruptedWorkError: if a signal came or the time is nearly over; the state is saved.
            TrainingError: if the training diverged.
        """
        try:
            while self._epoch < self._config.epochs:
                try:
                    self._run_epoch()
                except DivergedError as error:
                    self._go_back(error)
        except InterruptedWorkError:
            raise
        except BaseException:
            # What was learned since the last save is kept, if the device still gives it.
            with suppress(Exception):
                if self._trainer.is_whole:
                    self._save()
            raise
        assert self.best is not None
        return self.best

    def _run_epoch(self) -> None:
        epoch = self._epoch + 1
        self._batches.epoch, self._batches.skip = epoch, self._progress.batches
        self._trainer.run_epoch(
            self._loader,
            self._progress,
            total=len(self._batches),
            augmentation=self._config.augment,
            generator=self._generator,
            title=f"epoch {epoch}/{self._config.epochs}",
            after_step=self._after_step,
            show=self._show,
        )
        output = None
        if self._val is not None:
            output = run_model(
                self._trainer.model,
                self._val,
                self._trainer.device,
                after_step=self.stop_if_asked,
            )
        candidate = _candidate(epoch, output)
        improved = self.best is None or self.best.is_beaten_by(candidate)
        if improved:
            self.best = candidate
        self._run.add_metrics(_metrics_row(epoch, self._progress, candidate))
        logger.info("%s", self._epoch_line(candidate, improved))
        self._epoch = epoch
        self._begin_epoch()
        self._save()
        if improved:
            copy_whole(self._run.checkpoint_path("last"), self._run.checkpoint_path("best"))
        self.stop_if_asked()

    def _begin_epoch(self) -> None:
        self._progress = EpochProgress.begin(self._trainer.device)
        state = np.random.SeedSequence([self._config.seed, self._epoch + 1, _AUGMENTATION])
        self._generator.manual_seed(int(state.generate_state(1)[0]))

    def _after_step(self) -> None:
        self._watch.step_ended()
        if self._watch.save_is_due:
            self._save()
        self.stop_if_asked()

    def stop_if_asked(self) -> None:
        """Save and stop, if a signal came or the time is nearly over.

        Raises:
            InterruptedWorkError: with what to do to go on.
        """
        reason = self._watch.reason
        if reason is None:
            return
        self._save()
        raise InterruptedWorkError(
            reason,
            found=f"{self._epoch} of {self._config.epochs} epochs and {self._progress.batches} of "
            f"{len(self._batches)} batches of the next are done",
            fix=f"go on: pyside train --resume {self._run.folder}",
        )

    def _save(self) -> None:
        self._trainer.check_finite(self._progress)
        started = time.perf_counter()
        trainer = self._trainer
        checkpoint = Checkpoint(
            epoch=self._epoch,
            progress={**self._progress.to_json(), "augmentation": self._generator.get_state()},
            config=self._config.to_json(),
            classes=list(self._classes),
            data_digest=self._data_digest,
            best={} if self.best is None else asdict(self.best),
            model=trainer.model.state_dict(),
            optimizer=trainer.optimizer.state_dict(),
            scheduler=trainer.schedule.state_dict(),
            scaler=trainer.scaler.state_dict() or None,
            random=random_state(),
        )
        last, previous = map(self._run.checkpoint_path, ("last", "previous"))
        save_checkpoint(checkpoint, last, previous)
        self._watch.saved(time.perf_counter() - started)

    def _restore(self, checkpoint: Checkpoint) -> None:
        trainer = self._trainer
        trainer.model.load_state_dict(checkpoint.model)
        trainer.optimizer.load_state_dict(checkpoint.optimizer)
        trainer.schedule.load_state_dict(checkpoint.scheduler)
        if checkpoint.scaler is not None and trainer.scaler.is_enabled():
            trainer.scaler.load_state_dict(checkpoint.scaler)
        elif (checkpoint.scaler is not None) != trainer.scaler.is_enabled():
            logger.warning(
                "the precision is another one than before: the gradient scaler begins anew"
            )
        restore_random_state(checkpoint.random)
        progress = dict(checkpoint.progress)
        self._generator.set_state(progress.pop("augmentation"))
        self._progress = EpochProgress.from_json(progress, trainer.device)
        self._epoch = checkpoint.epoch
        self.best = Best(**checkpoint.best) if checkpoint.best else None

    def _mend_best(self, checkpoint: Checkpoint) -> None:
        """A crash between two files may have left the best checkpoint behind, or ahead."""
        if self.best is None:
            return
        path = self._run.checkpoint_path("best")
        try:
            kept = load_checkpoint(path).best
        except TrainingError:
            kept = {}
        if kept == checkpoint.best:
            return
        if self.best.epoch == self._epoch and not self._progress.batches:
            save_checkpoint(checkpoint, path)
        elif kept:
            self.best = Best(**kept)
        else:
            logger.warning("the best checkpoint is lost: the best of the epochs to come is taken")
            self.best = None

    def _go_back(self, error: DivergedError) -> None:
        if self._config.on_divergence == "stop" or self._returns >= MOST_RETURNS:
            raise error
        checkpoint = latest_checkpoint(self._run)
        assert checkpoint is not None
        self._returns += 1
        scale = self._trainer.schedule.scale / 2
        self._restore(checkpoint)
        self._trainer.schedule.scale = scale
        logger.warning(
            "%s Found %s: back to epoch %d, batch %d, with %g of the learning rate",
            error.must,
            error.found,
            self._epoch + 1,
            self._progress.batches,
            scale,
        )

    def _epoch_line(self, val: Best, improved: bool) -> str:
        progress = self._progress
        parts = [
            f"epoch {val.epoch}/{self._config.epochs}",
            f"train loss {progress.loss:.4f} accuracy {progress.accuracy:.4f}",
        ]
        if val.accuracy is not None:
            parts.append(f"validation loss {val.loss:.4f} accuracy {val.accuracy:.4f}")
        parts.append(f"{progress.seconds:.1f} s" + (" *" if improved else ""))
        return "  ".join(parts)


def chosen_by(count: int) -> str:
    """By what the best epoch is chosen, with this many validation images."""
    if not count:
        return "the last epoch; no images were held out"
    return f"accuracy, then loss, on {count} validation images apart from the test images"


def _candidate(epoch: int, output: Output | None) -> Best:
    if output is None:
        return Best(epoch, None, None, chosen_by(0))
    if not math.isfinite(output.loss):
        raise DivergedError(
            "The validation loss must be a finite number.",
            found=f"{output.loss} after epoch {epoch}",
            fix="train again with a lower --lr, or with --on-divergence back",
        )
    return Best(epoch, output.accuracy, output.loss, chosen_by(len(output.targets)))


def _metrics_row(epoch: int, progress: EpochProgress, val: Best) -> dict[str, Any]:
    return {
        "epoch": epoch,
        "samples": progress.samples,
        "lr": progress.lr,
        "train_loss": progress.loss,
        "train_accuracy": progress.accuracy,
        "val_loss": val.loss,
        "val_accuracy": val.accuracy,
        "seconds": round(progress.seconds, 3),
    }
