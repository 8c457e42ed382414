"""A library's partitioners and passes as backends of `optimize_for`."""

from functools import partial

from gluonic.extension.catalogue import Catalogue
from gluonic.extension.partitioners import apply_partitioner
from gluonic.extension.passes import apply_pass
from gluonic.graph.backends import BACKENDS


def register_backends(catalogue: Catalogue) -> None:
    """Register all partitioners and passes of a library."""
    binary = catalogue.binary
    for graph_pass in catalogue.passes:
        BACKENDS.add(graph_pass.name, partial(apply_pass, binary, graph_pass))
    for partitioner in catalogue.partitioners:
        BACKENDS.add(partitioner.name, partial(apply_partitioner, binary, partitioner))
