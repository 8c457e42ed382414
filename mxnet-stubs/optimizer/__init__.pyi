"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.optimizer import *
from gluonic.optimizer import (
    AdaDelta as AdaDelta,
    AdaGrad as AdaGrad,
    Adam as Adam,
    AdamW as AdamW,
    Adamax as Adamax,
    DCASGD as DCASGD,
    FTML as FTML,
    Ftrl as Ftrl,
    LAMB as LAMB,
    LARS as LARS,
    LBSGD as LBSGD,
    NAG as NAG,
    Nadam as Nadam,
    Optimizer as Optimizer,
    RMSProp as RMSProp,
    SGD as SGD,
    SGLD as SGLD,
    Signum as Signum,
    Test as Test,
    Updater as Updater,
    ccSGD as ccSGD,
    create as create,
    get_updater as get_updater,
    register as register,
)
