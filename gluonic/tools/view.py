"""``gluonic view net-symbol.json``: write a model's graph as an interactive page, and open it in a browser."""

import argparse
import os
import re
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.graph.errors import MXNetError
from gluonic.graph.files import write_atomically
from gluonic.symbol.plotting import drawing_of

_SHAPE = re.compile(r"([^=]+)=(\d+(?:[x,]\d+)*)\Z")


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_args(given)
    try:
        path = write_page(
            Path(options.file),
            options.params,
            dict(options.shape or ()),
            options.output,
            options.against,
            folded=options.folded,
        )
    except (MXNetError, OSError, UnicodeDecodeError) as error:
        print(f"gluonic view: {error}", file=sys.stderr)
        return 1
    print(path)
    if not options.no_open:
        webbrowser.open(path.resolve().as_uri())
    return 0


def write_page(
    file: Path,
    parameters: str | None,
    shapes: dict[str, tuple[int, ...]],
    output: str | None,
    against: str | None = None,
    *,
    folded: bool = False,
) -> Path:
    """Write the page of a model, or a picture of it.

    Parameters
    ----------
    file : symbol JSON
    parameters : a file of parameters; None takes the latest in the symbol's folder: ``net-0001.params`` for
        ``net-symbol.json``
    shapes : the shapes of inputs by name
    output : the file to write, in the format of its extension; None writes a page to a temporary file
    against : symbol JSON of an older model, to show what has changed since
    folded : in pictures, keep blocks folded, as on the page when it opens
    """
    symbol = sym.load(str(file))
    found = Path(parameters) if parameters else _beside(file)
    arrays = {} if found is None else nd.load(str(found))
    if not isinstance(arrays, dict):
        arrays = {}  # a list of arrays without names belongs to no variable
    values = {name.split(":", 1)[-1]: array.asnumpy() for name, array in arrays.items()}
    names = {node.name for node in symbol.graph().variables}
    values = {name: array for name, array in values.items() if name in names}
    title = file.name.removesuffix(".json").removesuffix("-symbol")
    if against is None:
        drawing = drawing_of(
            symbol.graph(),
            title,
            shape={name: array.shape for name, array in values.items()} | shapes,
            dtype={name: array.dtype for name, array in values.items()},
            values=values,
        )
    else:
        drawing = symbol.plot(shapes, title=title, against=sym.load(against))
    if output is None:
        handle, output = tempfile.mkstemp(prefix=f"{title}-", suffix=".html")
        os.close(handle)
    kind = Path(output).suffix.lower().removeprefix(".")
    kind = "html" if kind in ("", "htm") else kind
    write_atomically(Path(output), drawing.pipe(kind, folded=folded))
    return Path(output)


def _beside(file: Path) -> Path | None:
    stem = file.name.removesuffix(".json").removesuffix("-symbol")
    found = sorted(p for p in file.parent.iterdir() if _is_of(p.name, stem))
    return found[-1] if found else None


def _is_of(name: str, stem: str) -> bool:
    return (
        name == f"{stem}.params"
        or re.fullmatch(rf"{re.escape(stem)}-\d{{4}}\.params", name) is not None
    )


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    found = _SHAPE.match(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not like data=1,3,224,224")
    return found[1], tuple(map(int, re.split("[x,]", found[2])))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gluonic view", description="Show the graph of a model, as a page in a browser."
    )
    add = parser.add_argument
    add("file", help="the model: symbol JSON, such as net-symbol.json")
    add("--params", help="its parameters, by default the latest NAME-0000.params beside it")
    add(
        "--shape",
        action="append",
        type=_shape,
        metavar="NAME=AXES",
        help="the shape of an input, such as data=1,3,224,224; may be given several times",
    )
    add("--against", metavar="FILE", help="an older model, to show what has changed since")
    add("--output", help="where to write it: .html (a page), .svg, .pdf, .png or .dot")
    add("--folded", action="store_true", help="in pictures, leave blocks closed as the page does")
    add("--no-open", action="store_true", help="do not open a browser")
    return parser
