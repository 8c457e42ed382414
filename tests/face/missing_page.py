"""The page of what gluonic lacks, from the table of the errors.

python -m tests.face.missing_page     # writes docs/missing.md
"""

from collections.abc import Iterable
from pathlib import Path

from gluonic.mxnet_names.missing import MISSING, MISSING_IN_TWO, Missing

PAGE = Path(__file__).parent.parent.parent / "docs" / "missing.md"
_HEAD = """# What is missing

These names of MXNet 1.9.1 are missing in gluonic. Using one raises a `NotImplementedError` that names it:
in an import `MissingModuleError`, also an `ImportError`, and elsewhere `MissingNameError`, also an
`AttributeError`, so that `try: import mxnet.rtc` and `hasattr(mx, "rtc")` work.

Written by `python -m tests.face.missing_page` from the tables in `gluonic/mxnet_names/missing.py`.

"""
_IN_TWO = """
## MXNet 2.0

These names of [MXNet 2.0](mxnet2.md) are missing besides, in what is served for it. Some of its functions take
fewer arguments: `python -m tests.mxnet2.surface --list` names them.

"""
_TITLES = "| module | missing | reason or substitute |\n|---|---|---|\n"


def page() -> str:
    """The page's text."""
    return _HEAD + _table(MISSING) + _IN_TWO + _table(MISSING_IN_TWO)


def _table(missing: Iterable[Missing]) -> str:
    rows = []
    for row in missing:
        modules = ", ".join(f"`mx.{module}`" for module in row.modules.split())
        names = "everything" if row.names == "*" else ", ".join(f"`{n}`" for n in row.names.split())
        rows.append(f"| {modules} | {names} | {row.instead} |\n")
    return _TITLES + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page())
