"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.optimizer.base import *
from gluonic.optimizer.adaptive import *
from gluonic.optimizer.adaptive import (
    AdaDelta as AdaDelta,
    AdaGrad as AdaGrad,
    Adam as Adam,
    AdamW as AdamW,
    Adamax as Adamax,
    FTML as FTML,
    Ftrl as Ftrl,
    Nadam as Nadam,
    RMSProp as RMSProp,
)
from gluonic.optimizer.descent import *
from gluonic.optimizer.descent import (
    DCASGD as DCASGD,
    NAG as NAG,
    SGD as SGD,
    SGLD as SGLD,
    Signum as Signum,
    Test as Test,
    ccSGD as ccSGD,
)
from gluonic.optimizer.layerwise import *
from gluonic.optimizer.layerwise import (
    LAMB as LAMB,
    LARS as LARS,
    LBSGD as LBSGD,
)
from gluonic.optimizer.updater import *
