"""``gluonic info``: this machine, the environment variables, or the packages that a program needs."""

import argparse
import platform
import textwrap
from collections.abc import Iterator
from pathlib import Path

import llvmlite
import numpy as np
from threadpoolctl import threadpool_info

from gluonic._version import __version__
from gluonic.codegen.machine import cache, target
from gluonic.device.devices import descriptions, driver_version
from gluonic.distributed.errors import MPIMissingError
from gluonic.distributed.mpi import launched_ranks, mpi
from gluonic.support.cpu_count import available_cores
from gluonic.support.extras import how_to_install
from gluonic.tools import environment
from gluonic.tools.command import Answer
from gluonic.tools.program_needs import needs_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the programs whose needs are asked for, and whether it is about environment variables."""
    add = parser.add_mutually_exclusive_group().add_argument
    add(
        "--for",
        dest="programs",
        metavar="PROGRAM",
        nargs="+",
        type=Path,
        help="scripts or folders: which versions of other packages they need (docs/packages.md)",
    )
    add("--environment", action="store_true", help="what environment variables mean")


def run(options: argparse.Namespace) -> Answer:
    """Answer with the facts, one a line, or with what programs need."""
    if options.programs:
        needs = needs_of(options.programs)
        return Answer(needs.as_json(), needs.lines())
    if options.environment:
        return Answer(_meanings(), _listed_meanings())
    facts = found()
    width = max(map(len, facts))
    return Answer(facts, [f"{name:<{width}}  {fact}" for name, fact in facts.items()])


def _meanings() -> dict[str, str]:
    listed = [each for subject in environment.SUBJECTS.values() for each in subject]
    return {name: each.meaning for each in listed for name in each.names}


def _listed_meanings() -> Iterator[str]:
    """The table of environment variables, for people."""
    for subject, listed in environment.SUBJECTS.items():
        yield f"{subject}:"
        for each in listed:
            yield f"  {', '.join(each.assignments)}"
            yield textwrap.fill(each.meaning, 96, initial_indent=" " * 6, subsequent_indent=" " * 6)


def found() -> dict[str, str]:
    """Facts about versions, the processor, BLAS, GPUs, the code cache, MPI and the environment.

    Looking for MPI initializes it, as the first distributed store does.
    """
    host = target.host()
    blas = [one for one in threadpool_info() if one["user_api"] == "blas"]
    return {
        "gluonic": __version__,
        "Python": f"{platform.python_version()} on {platform.platform()}",
        "NumPy": np.__version__,
        "llvmlite": llvmlite.__version__,
        "processor": f"{host.cpu or host.architecture}, cores to compute with: {available_cores()}",
        "BLAS": ", ".join(f"{one['internal_api']} {one['version']}" for one in blas) or "none",
        "CUDA driver": driver_version(),
        **{f"gpu({number})": text for number, text in enumerate(descriptions())},
        "code cache": _cache(),
        "MPI": _mpi(),
        "environment": " ".join(f"{name}={value}" for name, value in environment.assigned().items())
        or "none of its variables is set; --environment lists them",
    }


def _cache() -> str:
    sizes = cache.sizes()
    if sizes is None:
        return "none: GLUONIC_CACHE=0, or its folder is not the user's alone"
    return f"{cache.folder()}, {len(sizes)} pieces, {sum(sizes.values()) / 1024:,.0f} KiB"


def _mpi() -> str:
    try:
        found = mpi()
    except MPIMissingError as error:
        reason = str(error.__cause__).partition("\n")[0]
        return f"none: {reason}; {how_to_install('mpi')}"
    library = found.Get_library_version().strip("\0 \n").partition("\n")[0]
    version = ".".join(map(str, found.Get_version()))
    rank, ranks = found.COMM_WORLD.Get_rank(), found.COMM_WORLD.Get_size()
    place = f"rank {rank} of {ranks}" if launched_ranks() > 1 else "one rank alone"
    return f"{library}; MPI {version}; {place}"
