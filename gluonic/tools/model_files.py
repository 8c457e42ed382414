"""The files of a model, as commands are given them: a network, the parameters beside it, shapes of inputs."""

import argparse
import re
from pathlib import Path

from gluonic import symbol as sym
from gluonic.gluon.parameter_dict import without_kind
from gluonic.ndarray import NDArray
from gluonic.symbol import Symbol
from gluonic.tools.array_files import load_arrays
from gluonic.tools.command import CommandError, program_name
from gluonic.tools.file_kinds import Held, held_in

_SHAPE = re.compile(r"([^=]+)=(\d+(?:[x,]\d+)*)\Z")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say more about a network: its parameters, and the shapes of its inputs."""
    add = parser.add_argument
    add(
        "--params",
        metavar="FILE",
        help="its parameters, by default the latest NAME-0000.params beside it",
    )
    add_shapes(parser)


def add_shapes(parser: argparse.ArgumentParser) -> None:
    """Add the option for the shapes of inputs."""
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        type=_shape,
        metavar="NAME=AXES",
        help="the shape of an input, such as data=1,3,224,224; may be given several times",
    )


def load_network(file: Path) -> Symbol:
    """Load symbol JSON.

    Raises
    ------
    CommandError
        if the file holds something else, such as parameters
    """
    held = held_in(file)
    if held in (Held.NETWORK, Held.JSON, Held.TABLE, Held.TEXT):
        return sym.load(str(file))
    told = f"{file} holds {held.value}, not a network"
    if held is not Held.PARAMETERS:
        raise CommandError(told, hint="symbol JSON, such as net-symbol.json")
    stem = re.sub(r"-\d{4}$", "", file.stem)
    networks = [file.with_name(f"{stem}{ending}.json") for ending in ("-symbol", "")]
    network = next((path for path in networks if path.is_file()), "its symbol JSON")
    lists = f"{program_name()} summary {file}, which lists the arrays"
    raise CommandError(told, hint=f"{network}; or {lists}")


def load_parameters(given: str | None, network: Path) -> dict[str, NDArray]:
    """Load parameters by their names in the network.

    Parameters
    ----------
    given : the file; None takes the latest in the network's folder: ``net-0001.params`` for
        ``net-symbol.json``
    network : symbol JSON
    """
    found = Path(given) if given else _beside(network)
    arrays = {} if found is None else load_arrays(found)
    return {without_kind(name): array for name, array in arrays.items()}


def stem_of(network: Path) -> str:
    """The name of a model: ``net`` for ``net-symbol.json``."""
    return network.name.removesuffix(".json").removesuffix("-symbol")


def _beside(network: Path) -> Path | None:
    stem = re.escape(stem_of(network))
    pattern = re.compile(rf"{stem}(-\d{{4}})?\.params")
    found = sorted(path for path in network.parent.iterdir() if pattern.fullmatch(path.name))
    return found[-1] if found else None


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    found = _SHAPE.match(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not like data=1,3,224,224")
    return found[1], tuple(map(int, re.split("[x,]", found[2])))
