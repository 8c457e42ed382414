"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.nn.basic_layers import *
from gluonic.gluon.nn.basic_layers import (
    Dense as Dense,
    Dropout as Dropout,
    Embedding as Embedding,
    Flatten as Flatten,
    HybridLambda as HybridLambda,
    Lambda as Lambda,
)
from gluonic.gluon.nn.containers import *
from gluonic.gluon.nn.containers import (
    HybridSequential as HybridSequential,
    Sequential as Sequential,
)
from gluonic.gluon.nn.norm_layers import *
from gluonic.gluon.nn.norm_layers import (
    BatchNorm as BatchNorm,
    BatchNormReLU as BatchNormReLU,
    GroupNorm as GroupNorm,
    InstanceNorm as InstanceNorm,
    LayerNorm as LayerNorm,
)
