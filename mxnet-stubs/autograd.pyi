"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.autograd import *
from gluonic.autograd import (
    Function as Function,
    backward as backward,
    get_symbol as get_symbol,
    grad as grad,
    is_recording as is_recording,
    is_training as is_training,
    mark_variables as mark_variables,
    pause as pause,
    predict_mode as predict_mode,
    record as record,
    set_recording as set_recording,
    set_training as set_training,
    train_mode as train_mode,
)
