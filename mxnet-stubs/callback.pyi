"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.callback import *
from gluonic.callback import (
    LogValidationMetricsCallback as LogValidationMetricsCallback,
    ProgressBar as ProgressBar,
    Speedometer as Speedometer,
    do_checkpoint as do_checkpoint,
    log_train_metric as log_train_metric,
    module_checkpoint as module_checkpoint,
)
