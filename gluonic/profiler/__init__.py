"""Profiling of operators, steps of compiled graphs, compilation, and users' own marks.

``mx.profiler`` of MXNet: `set_config`, `set_state`, `dump`, `dumps`, `pause`, `resume` and the objects `Task`,
`Frame`, `Event`, `Counter`, `Marker` and `Domain`. The file is for chrome://tracing or ui.perfetto.dev: each
operator, and each step of a compiled graph, has the block's path, the user's line and shapes.

``GLUONIC_PROFILE=file.json`` profiles a whole program, as does ``MXNET_PROFILER_AUTOSTART=1``.
"""

from gluonic.profiler.control import (
    dump,
    dump_profile,
    dumps,
    pause,
    profile,
    profiler_set_config,
    profiler_set_state,
    resume,
    set_config,
    set_kvstore_handle,
    set_state,
    start_if_asked,
)
from gluonic.profiler.marks import Counter, Domain, Event, Frame, Marker, Task

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profile",
    "profiler_set_config",
    "profiler_set_state",
    "resume",
    "set_config",
    "set_kvstore_handle",
    "set_state",
    "start_if_asked",
]
