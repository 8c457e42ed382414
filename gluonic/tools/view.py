"""``gluonic view net-symbol.json``: show a model's graph as an interactive page in a browser, or write it."""

import argparse
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from gluonic.drawing.drawing import Drawing, lacking_programs
from gluonic.graph.files import write_atomically
from gluonic.symbol.plotting import drawing_of
from gluonic.tools.command import CommandError, command_parser, reporting
from gluonic.tools.model_files import add_options, load_network, load_parameters, stem_of
from gluonic.tools.shown_once import show_once

_FORMATS = ".html (a page), .svg, .pdf, .png or .dot"


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = _parser()
    options = parser.parse_args(given)
    if options.no_open and options.output is None:
        parser.error("with --no-open, --output FILE names the file to write")
    return reporting(parser, lambda: _view(options))


def _view(options: argparse.Namespace) -> None:
    if options.output is None:
        drawing = _drawing(options)
        show_once(drawing.pipe("html"), drawing.name)
        print(f"{options.file} is shown in a browser; --output FILE.html keeps the page")
        return
    path = Path(options.output)
    kind = _format_of(path)
    write_atomically(path, _drawing(options).pipe(kind, folded=options.folded))
    print(path)
    if not options.no_open:
        webbrowser.open(path.resolve().as_uri())


def _format_of(output: Path) -> str:
    kind = output.suffix.lower().removeprefix(".")
    if kind in ("", "htm"):
        return "html"
    lacking = lacking_programs(kind)
    if lacking:
        raise CommandError(
            f"{output} needs {lacking} which is not installed", hint=f"--output with {_FORMATS}"
        )
    return kind


def _drawing(options: argparse.Namespace) -> Drawing:
    """Draw the network with its parameters, or what changed against an older one."""
    file, shapes = Path(options.file), dict(options.shape)
    symbol, title = load_network(file), stem_of(file)
    if options.against is not None:
        against = load_network(Path(options.against))
        changes: Drawing = symbol.plot(shapes, title=title, against=against)
        return changes
    names = {node.name for node in symbol.graph().variables}
    values = {
        name: array.asnumpy()
        for name, array in load_parameters(options.params, file).items()
        if name in names
    }
    return drawing_of(
        symbol.graph(),
        title,
        shape={name: array.shape for name, array in values.items()} | shapes,
        dtype={name: array.dtype for name, array in values.items()},
        values=values,
    )


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "view",
        "Show the graph of a model, as a page in a browser. Without --output, no file is written.",
    )
    add = parser.add_argument
    add("file", help="the model: symbol JSON, such as net-symbol.json")
    add_options(parser)
    add("--against", metavar="FILE", help="an older model, to show what has changed since")
    add("--output", metavar="FILE", help=f"the file to write and open: {_FORMATS}")
    add("--folded", action="store_true", help="in pictures, leave blocks closed as the page does")
    add("--no-open", action="store_true", help="only write the file")
    return parser
