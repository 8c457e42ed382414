"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.profiler import *
from gluonic.profiler import (
    Counter as Counter,
    Domain as Domain,
    Event as Event,
    Frame as Frame,
    Marker as Marker,
    Task as Task,
    dump as dump,
    dump_profile as dump_profile,
    dumps as dumps,
    pause as pause,
    profile as profile,
    profiler_set_config as profiler_set_config,
    profiler_set_state as profiler_set_state,
    resume as resume,
    set_config as set_config,
    set_kvstore_handle as set_kvstore_handle,
    set_state as set_state,
    start_if_asked as start_if_asked,
)
from gluonic.profiler.control import *
from gluonic.profiler.marks import *
from gluonic.profiler.report import *
