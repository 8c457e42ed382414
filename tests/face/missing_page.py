"""The page of what gluonic lacks, from the table of the errors.

python -m tests.face.missing_page     # writes docs/missing.md
"""

from pathlib import Path

from gluonic.mxnet_names.missing import MISSING

PAGE = Path(__file__).parent.parent.parent / "docs" / "missing.md"
_HEAD = """# What is missing

These names of MXNet 1.9.1 are missing in gluonic. Using one raises a `NotImplementedError` that names it:
in an import `MissingModuleError`, also an `ImportError`, and elsewhere `MissingNameError`, also an
`AttributeError`, so that `try: import mxnet.rtc` and `hasattr(mx, "rtc")` work.

Written by `python -m tests.face.missing_page` from the table in `gluonic/mxnet_names/missing.py`.

| module | missing | reason or substitute |
|---|---|---|
"""


def page() -> str:
    """The page's text."""
    rows = []
    for row in MISSING:
        modules = ", ".join(f"`mx.{module}`" for module in row.modules.split())
        names = "everything" if row.names == "*" else ", ".join(f"`{n}`" for n in row.names.split())
        rows.append(f"| {modules} | {names} | {row.instead} |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page())
