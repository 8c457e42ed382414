"""``gluonic view net-symbol.json``: show a model's graph as an interactive page in a browser, or write it."""

import argparse
import webbrowser
from pathlib import Path

from gluonic.drawing.drawing import Drawing
from gluonic.symbol.plotting import drawing_of
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.drawing_files import FORMATS, check_format, write_drawing
from gluonic.tools.model_files import add_options, load_network, load_parameters, stem_of
from gluonic.tools.shown_once import show_once


def run(options: argparse.Namespace) -> Answer:
    """Show the page, or write the file and show it."""
    if options.output is None:
        if options.no_open:
            raise CommandError("with --no-open, --output FILE names the file to write")
        drawing = _drawing(options)
        show_once(drawing.pipe("html"), drawing.name)
        shown = f"{options.file} is shown in a browser; --output FILE.html keeps the page"
        return Answer({"written": None}, [shown])
    path = Path(options.output)
    check_format(path)
    write_drawing(path, _drawing(options), folded=options.folded)
    if not options.no_open:
        webbrowser.open(path.resolve().as_uri())
    return Answer({"written": str(path)}, [str(path)])


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model, what is known of it, and the file to write."""
    add = parser.add_argument
    add("file", help="the model: symbol JSON, such as net-symbol.json")
    add_options(parser)
    add("--against", metavar="FILE", help="an older model, to show what has changed since")
    add("--output", metavar="FILE", help=f"the file to write and open: {FORMATS}")
    add("--folded", action="store_true", help="in pictures, leave blocks closed as the page does")
    add("--no-open", action="store_true", help="only write the file")
