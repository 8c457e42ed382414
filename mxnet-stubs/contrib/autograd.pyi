"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.autograd import *
from gluonic.contrib.autograd import (
    TrainingStateScope as TrainingStateScope,
    backward as backward,
    compute_gradient as compute_gradient,
    grad as grad,
    grad_and_loss as grad_and_loss,
    set_is_training as set_is_training,
    test_section as test_section,
    train_section as train_section,
)
