"""What updates count, besides changing weights and states."""

from typing import Any, NamedTuple


class UpdateCounts(NamedTuple):
    """How far an optimizer has counted.

    Attributes
    ----------
    updates : their numbers, by device and parameter
    latest : the largest of them
    schedule : the attributes of the scheduler of the learning rate
    """

    updates: dict[int, dict[Any, int]]
    latest: int
    schedule: dict[str, Any]


class CountsUpdates:
    """An optimizer whose counts can be taken back, if an update turns out not to have been done."""

    _all_index_update_counts: dict[int, dict[Any, int]]
    num_update: int
    lr_scheduler: Any

    def _set_current_context(self, device_id: int) -> None:
        raise NotImplementedError

    def count_on(self, device_id: int) -> None:
        """Count on a device from now on; each device has separate counts of each parameter."""
        self._set_current_context(device_id)

    def counts(self) -> UpdateCounts:
        """How far it has counted."""
        updates = {device: dict(own) for device, own in self._all_index_update_counts.items()}
        return UpdateCounts(updates, self.num_update, dict(self._schedule()))

    def return_to(self, counts: UpdateCounts) -> None:
        """Count as before."""
        for device, own in self._all_index_update_counts.items():
            own.clear()
            own.update(counts.updates.get(device, {}))
        self.num_update = counts.latest
        self._schedule().update(counts.schedule)

    def _schedule(self) -> dict[str, Any]:
        found: dict[str, Any] = getattr(self.lr_scheduler, "__dict__", {})
        return found
