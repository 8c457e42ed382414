"""Statistics of compiled graphs, and of their use: `cache_info()`."""

from collections.abc import Iterable
from dataclasses import astuple

from gluonic.support.record import record


@record
class CacheInfo:
    """Statistics of compiled graphs.

    Attributes
    ----------
    specializations : machine code, each for all shapes of one pattern
    bindings : launch arguments and memory plans, each for one set of shapes
    hits : calls that found their binding
    misses : calls that had to create a binding, and perhaps code for it
    prepackings : calls that computed values that depend on parameters alone, such as packed filters: the first
        one, and those after a write to one of these parameters
    code_bytes : the size of the machine code, as object files
    disk_hits : specializations whose code came from the disk cache
    interpreted : calls that ran operator by operator before the graph was compiled
    seconds : the time for creating specializations, or for finding code on disk or in memory
    functions : functions of steps, and large ones that they call, compiled for these graphs
    shared_functions : those that were in memory already, compiled for other graphs or other shapes
    code_seconds : the part of `seconds` in which LLVM compiled and linked, or code was found on disk
    through_host : operators that the CPU computes for a GPU; `net.explain(x)` names them, with reasons
    """

    specializations: int = 0
    bindings: int = 0
    hits: int = 0
    misses: int = 0
    prepackings: int = 0
    code_bytes: int = 0
    disk_hits: int = 0
    interpreted: int = 0
    seconds: float = 0.0
    functions: int = 0
    shared_functions: int = 0
    code_seconds: float = 0.0
    through_host: int = 0

    @classmethod
    def total(cls, parts: Iterable["CacheInfo"]) -> "CacheInfo":
        """The sums over several graphs.

        >>> found = CacheInfo.total([CacheInfo(1, 2, hits=3), CacheInfo(1, 1, misses=1)])
        >>> found.specializations, found.bindings, found.hits, found.misses
        (2, 3, 3, 1)
        """
        return cls(*map(sum, zip(*map(astuple, [cls(), *parts]), strict=True)))
