"""``mx.gluon.probability``: distributions, their divergences, transformations, and blocks that draw samples."""

from gluonic.mxnet2.gluon.probability import (
    blocks,
    classes,
    constraint,
    continuous,
    discrete,
    distribution,
    divergence,
    gammas,
    relaxed,
    special,
    transformation,
    transformed,
    vectors,
)
from gluonic.mxnet2.gluon.probability.blocks import *
from gluonic.mxnet2.gluon.probability.classes import *
from gluonic.mxnet2.gluon.probability.constraint import *
from gluonic.mxnet2.gluon.probability.continuous import *
from gluonic.mxnet2.gluon.probability.discrete import *
from gluonic.mxnet2.gluon.probability.distribution import *
from gluonic.mxnet2.gluon.probability.divergence import *
from gluonic.mxnet2.gluon.probability.gammas import *
from gluonic.mxnet2.gluon.probability.relaxed import *
from gluonic.mxnet2.gluon.probability.special import *
from gluonic.mxnet2.gluon.probability.transformation import *
from gluonic.mxnet2.gluon.probability.transformed import *
from gluonic.mxnet2.gluon.probability.vectors import *

__all__ = [
    *blocks.__all__,
    *classes.__all__,
    *constraint.__all__,
    *continuous.__all__,
    *discrete.__all__,
    *distribution.__all__,
    *divergence.__all__,
    *gammas.__all__,
    *relaxed.__all__,
    *special.__all__,
    *transformation.__all__,
    *transformed.__all__,
    *vectors.__all__,
]
