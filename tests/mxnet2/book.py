"""The programs of «Dive into Deep Learning», for MXNet 2.0: ``python -m tests.mxnet2.book FOLDER``.

FOLDER is a checkout of the book (d2l-ai/d2l-en), which is not included. The cells of each page that are for
MXNet run in order in a process of their own, as its notebook does, on ``install_as_mxnet(version="2.0")``. What
they download is not there: `tests.mxnet2.book_data` writes small files of the same form for most of it, and a
cell that wants others needs them, as do the cells that use its names. pandas, requests, IPython, matplotlib and
matplotlib-inline are needed. docs/conformance.md has the figures, and why cells fail.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.mxnet2 import book_data

ENDINGS = ("passed", "failed", "slow", "data", "after", "gpus")
"""How a cell ends: it ran; raised an error; took longer than the limit; wants a file that is not there; uses a
name that such a cell would have defined; is of a page for several GPUs.
"""
_FOR_GPUS = {"auto-parallelism.md", "multiple-gpus.md", "multiple-gpus-concise.md"}
_CELL = re.compile(r"^```\{\.python \.input[^}]*\}\n(.*?)^```", re.DOTALL | re.MULTILINE)
_TAB = re.compile(r"^(?:%%tab|#@tab)\s+(.*)$", re.MULTILINE)
_EPOCHS = re.compile(r"(?<=epochs=)\d+")
_LACKING = re.compile(r"not on this machine|'\.\./img/")
_NOT_PYTHON = re.compile(r"^[%!].*$", re.MULTILINE)


class TooSlowError(BaseException):
    """A cell ran longer than the limit; programs do not catch it."""


class Tab:
    """What notebooks of the book ask which framework is chosen."""

    def selected(self, *names: str) -> bool:
        """Whether MXNet is among the names."""
        return "mxnet" in names

    def interact_select(self, *_: Any) -> None:
        """Choose; there is no choice."""


def cells_of(page: Path) -> Iterator[tuple[int, str]]:
    """The lines and the programs of a page's cells that are for MXNet."""
    text = page.read_text()
    for match in _CELL.finditer(text):
        source = match[1]
        tab = _TAB.search(source)
        names = {name.strip() for name in tab[1].split(",")} if tab else {"all"}
        source = _EPOCHS.sub("2", _NOT_PYTHON.sub("pass", source))
        if names & {"all", "mxnet"} and source.replace("pass", "").strip():
            yield text.count("\n", 0, match.start(1)) + 1, source


def _stop(*_: object) -> None:
    raise TooSlowError


def run_page(page: Path, limit: int) -> list[dict[str, Any]]:
    """Run the cells of a page in this process, and say how each ended."""
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    main.__dict__["tab"] = Tab()
    signal.signal(signal.SIGPROF, _stop)
    lacking, rows = False, []
    for line, source in cells_of(page):
        if "d2lbook" in source:
            continue
        if page.name in _FOR_GPUS:
            ending, why = "gpus", ""
        else:
            ending, why = _run(source, f"{page.name}:{line}", main.__dict__, limit)
        if ending == "failed" and lacking and why.startswith(("NameError", "ImportError")):
            ending = "after"
        lacking |= ending in ("data", "slow")
        rows.append(
            {"page": page.parent.name + "/" + page.name, "line": line, "ending": ending, "why": why}
        )
    return rows


def _run(source: str, title: str, names: dict[str, Any], limit: int) -> tuple[str, str]:
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        exec(compile("\n" + source, title, "exec"), names)
    except TooSlowError:
        return "slow", f"longer than {limit} s"
    except book_data.LackingDataError as error:
        return "data", str(error)
    except Exception as error:
        if _LACKING.search(str(error)):
            return "data", str(error).partition("\n")[0]
        last = traceback.extract_tb(error.__traceback__)[-1]
        traceback.print_exc()
        return (
            "failed",
            f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})",
        )
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "passed", ""


def _prepare(folder: Path, scratch: Path) -> None:
    """Serve MXNet 2.0 to this process, with the book's library; the processes of pages are forks of it."""
    os.environ.update(MPLBACKEND="Agg", HOME=str(scratch))
    for name in ("mnist", "fashion-mnist"):
        book_data.write_images(scratch / ".mxnet" / "datasets" / name)
    (scratch / "book" / "page").mkdir(parents=True)
    os.chdir(scratch / "book" / "page")
    sys.path.insert(0, str(folder))
    import gluonic

    gluonic.install_as_mxnet(numpy_aliases=True, version="2.0")
    book_data.install()
    library = importlib.import_module("d2l.mxnet")
    library.get_dataloader_workers = lambda: 0  # type: ignore[attr-defined]
    library.DataModule.__init__.__defaults__ = ("../data", 0)


def _child(page: Path, limit: int, results: Path, log: Path) -> None:
    """Run one page, in a process of its own."""
    with log.open("a") as stream, contextlib.redirect_stdout(io.StringIO()):
        print(f"==== {page}", file=stream, flush=True)
        with contextlib.redirect_stderr(stream):
            results.write_text(json.dumps(run_page(page, limit)))


def run_pages(folder: Path, pages: list[Path], limit: int, log: Path) -> Iterator[dict[str, Any]]:
    """Run pages one after another; a page whose process dies fails as a whole."""
    log.write_text("")
    with tempfile.TemporaryDirectory() as scratch:
        _prepare(folder, Path(scratch))
        results = Path(scratch, "results.json")
        for page in pages:
            results.unlink(missing_ok=True)
            process = get_context("fork").Process(target=_child, args=(page, limit, results, log))
            process.start()
            process.join(20 * limit)  # a page that waits for something else does not end
            process.kill()
            process.join()
            if results.exists():
                yield from json.loads(results.read_text())
            else:
                why = f"the process ended with {process.exitcode}"
                yield {
                    "page": str(page.relative_to(folder)),
                    "line": 0,
                    "ending": "failed",
                    "why": why,
                }


def main() -> None:
    """Run the pages, print those with failures, and count."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--out", type=Path, default=Path("book.json"), help="the file for all results"
    )
    parser.add_argument(
        "--chapters", nargs="+", default=[""], help="only pages whose path has one of these"
    )
    parser.add_argument("--limit", type=int, default=60, help="seconds of the processor for a cell")
    options = parser.parse_args()
    folder, out = options.folder.resolve(), options.out.resolve()
    pages = [
        page
        for page in sorted(folder.glob("chapter_*/*.md"))
        if any(part in str(page) for part in options.chapters) and "mxnet" in page.read_text()
    ]
    rows: dict[str, dict[str, Any]] = json.loads(out.read_text()) if out.exists() else {}
    for row in run_pages(folder, pages, options.limit, out.with_suffix(".log")):
        rows[f"{row['page']}:{row['line']}"] = row
        if row["ending"] in ("failed", "slow"):
            print(f"{row['page']}:{row['line']}: {row['ending']}: {row['why']}"[:300], flush=True)
        out.write_text(json.dumps(rows, indent=0))
    counts = Counter(row["ending"] for row in rows.values())
    ran = counts["passed"] + counts["failed"] + counts["slow"]
    print(", ".join(f"{counts[ending]} {ending}" for ending in ENDINGS))
    print(f"{counts['passed']} of {ran} ({100 * counts['passed'] / max(ran, 1):.1f} %)")


if __name__ == "__main__":
    main()
