"""Files of drawings, whose endings say what they are."""

from pathlib import Path

from gluonic.drawing.drawing import Drawing, lacking_programs
from gluonic.graph.files import write_atomically
from gluonic.tools.command import CommandError

FORMATS = ".html (a page), .svg, .pdf, .png or .dot"


def check_format(output: Path) -> None:
    """Refuse a file that cannot be written on this machine, before anything is drawn.

    Raises
    ------
    CommandError
        if its format needs a program that is not installed
    """
    lacking = lacking_programs(_format_of(output))
    if lacking:
        raise CommandError(
            f"{output} needs {lacking} which is not installed", hint=f"--output with {FORMATS}"
        )


def write_drawing(output: Path, drawing: Drawing, *, folded: bool = False) -> None:
    """Write a drawing; in pictures, blocks are open unless they are to be folded."""
    write_atomically(output, drawing.pipe(_format_of(output), folded=folded))


def _format_of(output: Path) -> str:
    kind = output.suffix.lower().removeprefix(".")
    return "html" if kind in ("", "htm") else kind
