"""The search for MPI: mpi4py is imported on the first request for several processes."""

import importlib
import os
from functools import cache
from typing import Any

from gluonic.distributed.errors import MPIMissingError
from gluonic.graph.errors import describe
from gluonic.support.extras import how_to_install

_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS")
"""The environment variables in which launchers give the number of ranks."""


@cache
def mpi() -> Any:
    """Import ``mpi4py.MPI``, which starts MPI.

    Raises
    ------
    MPIMissingError
        if mpi4py is not installed, or finds no MPI
    """
    try:
        return importlib.import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:
        raise MPIMissingError(
            describe(
                "several processes need MPI, and there is none",
                where="distributed",
                facts=[f"{type(error).__name__}: {error}"],
                hint=f"{how_to_install('mpi')}, or mpi4py beside the MPI of your cluster",
            )
        ) from error


def launched_ranks() -> int:
    """The number of ranks that the launcher has started, from the environment; 1 without a launcher."""
    return max(
        (int(os.environ[name]) for name in _SIZES if os.environ.get(name, "").isdigit()), default=1
    )
