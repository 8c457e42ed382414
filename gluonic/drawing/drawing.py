"""`Drawing`: a picture that can be shown and written to files, with methods of a Digraph."""

import shutil
import subprocess
import tempfile
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gluonic.drawing.dot import dot_lines, edge_line, node_line, quoted
from gluonic.drawing.page.source import GraphPage
from gluonic.drawing.picture import Picture
from gluonic.drawing.static.pdf import pdf
from gluonic.drawing.static.png import browser, png
from gluonic.drawing.static.scene import Scene
from gluonic.drawing.static.svg import svg
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.files import file_name, write_atomically

_WRITERS: dict[str, Callable[[Scene, str], bytes]] = {
    "svg": lambda scene, title: svg(scene, title).encode(),
    "pdf": pdf,
}
_PAGE, _TEXT = "html", {"dot", "gv"}


def lacking_programs(format: str) -> str:
    """Name the programs, one of which a format needs, if none is installed; otherwise return nothing."""
    if format in {_PAGE, *_TEXT, *_WRITERS}:
        return ""
    is_picture = format == "png"
    if (is_picture and browser() is not None) or (format.isalnum() and shutil.which("dot")):
        return ""
    return "Graphviz's program dot," + (" or Chromium," if is_picture else "")


class Drawing:
    """A picture of a graph, and the interactive page.

    gluonic itself writes SVG, HTML, PDF and Graphviz's text; PNG needs Chromium, and other formats need
    Graphviz's
    ``dot``.
    In a notebook the page shows itself.

    Parameters
    ----------
    picture : the picture
    save_format : the format of `render`
    node_attributes : Graphviz attributes of all nodes, for `source`
    page : the page

    Attributes
    ----------
    name : the title
    default_filename : where `save` and `render` write without a name: the title, as a name in the folder
    format : the format of `render`
    body : the lines of `source` between the braces; more may be added
    """

    def __init__(
        self,
        picture: Picture,
        save_format: str,
        node_attributes: Mapping[str, str],
        page: GraphPage,
    ) -> None:
        self.page = page
        self.picture, self.name, self.format = picture, picture.title, save_format
        self.default_filename = f"{file_name(self.name)}.gv"
        self.body = list(dot_lines(picture, node_attributes))

    @property
    def source(self) -> str:
        """The graph in Graphviz's language."""
        return f"digraph {quoted(self.name)} {{\n{''.join(self.body)}}}\n"

    def node(self, name: str, label: str | None = None, **attributes: Any) -> None:
        """Add a node to `source`."""
        self.body.append(node_line(name, label, attributes))

    def edge(
        self, tail_name: str, head_name: str, label: str | None = None, **attributes: Any
    ) -> None:
        """Add an edge to `source`."""
        self.body.append(edge_line(tail_name, head_name, label, attributes))

    def pipe(self, format: str | None = None, *, folded: bool = False) -> bytes:
        """Return the drawing in a format.

        Parameters
        ----------
        format : another format than the drawing's own
        folded : in SVG, PDF and PNG, fold the blocks that are folded when the page opens

        Raises
        ------
        MXNetError
            for a format that needs Graphviz, if its ``dot`` is not installed
        """
        wanted = (format or self.format).lower()
        if wanted in _TEXT:
            return self.source.encode()
        if wanted == _PAGE:
            return self.page.text().encode()
        if wanted in _WRITERS:
            return _WRITERS[wanted](self.page.scene(folded=folded), self.page.title)
        program = browser() if wanted == "png" else None
        if program is not None:
            return png(self.page.scene(folded=folded), self.page.title, program)
        return self._by_graphviz(wanted)

    def _by_graphviz(self, wanted: str) -> bytes:
        program, lacking = shutil.which("dot"), lacking_programs(wanted)
        if program is None or lacking:
            raise MXNetError(
                describe(
                    f"the format {wanted!r} needs {lacking} which is not installed",
                    where="plot_network",
                    hint=f"save_format= one of {', '.join([_PAGE, *_WRITERS, *sorted(_TEXT)])}",
                )
            )
        done = subprocess.run(
            [program, f"-T{wanted}"], input=self.source.encode(), capture_output=True, check=False
        )
        if done.returncode:
            raise MXNetError(f"dot -T{wanted}: {done.stderr.decode(errors='replace')[:500]}")
        return done.stdout

    def save(self, filename: str | None = None, directory: str | None = None) -> str:
        """Write `source` to a file; return its path."""
        path = self._path(filename, directory)
        write_atomically(path, self.source.encode())
        return str(path)

    def _path(self, filename: str | None, directory: str | None) -> Path:
        return Path(directory or "") / (filename or self.default_filename)

    def render(
        self,
        filename: str | None = None,
        directory: str | None = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
        folded: bool = False,
        **_: Any,
    ) -> str:
        """Write the drawing to a file, and `source` to another one, as Graphviz's and MXNet's ``render`` does.

        ``render("mine")`` writes ``mine.html``, and ``mine`` with the source.

        Parameters
        ----------
        filename : its path without the format's suffix; by default the title and ``.gv``
        directory : its folder
        view : open it
        cleanup : do not write `source`: there is no second file
        format : another format than the drawing's own
        folded : in SVG, PDF and PNG, fold the blocks that are folded when the page opens

        Returns
        -------
        str
            the path
        """
        kind = (format or self.format).lower()
        source = self._path(filename, directory)
        contents = self.pipe(kind, folded=folded)
        if not cleanup:
            write_atomically(source, self.source.encode())
        path = source.with_name(f"{source.name}.{kind}")
        write_atomically(path, contents)
        if view:
            webbrowser.open(path.resolve().as_uri())
        return str(path)

    def view(self, filename: str | None = None, directory: str | None = None, **_: Any) -> str:
        """Write the drawing as a page and open it in a browser; return its path."""
        folder = directory or (tempfile.mkdtemp(prefix="gluonic-") if filename is None else None)
        return self.render(filename, folder, view=True, cleanup=True, format="html")

    def _repr_html_(self) -> str:
        return self.page.frame()

    def _repr_svg_(self) -> str:
        return self.pipe("svg", folded=True).decode()

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        boxes = len(self.picture.boxes)
        return f"<Drawing {self.name!r}, {boxes} boxes; .render('file'), .view(), .source>"
