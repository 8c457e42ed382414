"""Finding files of images and labels."""

from pathlib import Path

from gluonic.graph.errors import MXNetError, describe


def find(folder: Path, names: list[str], what: str) -> Path:
    """Return the first of several files that is there.

    Raises
    ------
    MXNetError
        if there is none
    """
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise MXNetError(
        describe(
            f"{what} is not on this machine",
            facts=[f"looked for {' or '.join(names)} in {folder}"],
            hint="put it there, or root= for another folder; gluonic downloads nothing",
        )
    )
