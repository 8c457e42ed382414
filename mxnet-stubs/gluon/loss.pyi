"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.loss import *
from gluonic.gluon.loss import (
    CTCLoss as CTCLoss,
    CosineEmbeddingLoss as CosineEmbeddingLoss,
    HingeLoss as HingeLoss,
    HuberLoss as HuberLoss,
    KLDivLoss as KLDivLoss,
    L1Loss as L1Loss,
    L2Loss as L2Loss,
    LogisticLoss as LogisticLoss,
    Loss as Loss,
    PoissonNLLLoss as PoissonNLLLoss,
    SDMLLoss as SDMLLoss,
    SigmoidBCELoss as SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss as SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss as SoftmaxCELoss,
    SoftmaxCrossEntropyLoss as SoftmaxCrossEntropyLoss,
    SquaredHingeLoss as SquaredHingeLoss,
    TripletLoss as TripletLoss,
)
from gluonic.gluon.loss.base import *
from gluonic.gluon.loss.classification import *
from gluonic.gluon.loss.embedding import *
from gluonic.gluon.loss.regression import *
