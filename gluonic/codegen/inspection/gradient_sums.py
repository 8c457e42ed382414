"""A description of the sums of gradients over processes that overlapped with backward."""

from collections.abc import Sequence

from gluonic.support.record import record

_MOST_NAMES = 8


@record
class GradientSums:
    """The start of the sums of a net's gradients over ranks, in the latest step.

    Attributes
    ----------
    during : the parameters whose gradients' sums began during backward, in that order
    afterwards : those whose sums began when the trainer's step needed them
    overlapped : how much was sent, hidden and waited for, of all gradients that are summed together with these
    """

    during: tuple[str, ...]
    afterwards: tuple[str, ...]
    overlapped: object

    def __str__(self) -> str:
        count = len(self.during) + len(self.afterwards)
        lines = [
            f"sums over ranks: those of {len(self.during)} of {count} gradients began during backward",
            f"     {self.overlapped}",
        ]
        for when, names in (("during", self.during), ("afterwards", self.afterwards)):
            if names:
                lines.append(f"     {when}: {_listed(names)}")
        return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    shown = [*names[: _MOST_NAMES - 1], "…", names[-1]] if len(names) > _MOST_NAMES else names
    return ", ".join(shown)
