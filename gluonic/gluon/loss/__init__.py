"""Loss functions: one number for each sample, for `backward` to start from.

All take predictions and labels, then optionally `sample_weight`, an array that multiplies the loss
and must broadcast against it: ``(batch, 1)`` weighs samples. Results have the shape ``(batch,)``
unless a class says otherwise.
"""

from gluonic.gluon.loss.base import Loss, apply_weighting, reshape_like
from gluonic.gluon.loss.classification import (
    CTCLoss,
    HingeLoss,
    KLDivLoss,
    LogisticLoss,
    SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss,
    SoftmaxCrossEntropyLoss,
    SquaredHingeLoss,
)
from gluonic.gluon.loss.embedding import CosineEmbeddingLoss, SDMLLoss, TripletLoss
from gluonic.gluon.loss.regression import HuberLoss, L1Loss, L2Loss, PoissonNLLLoss

# the names that other libraries import
_apply_weighting, _reshape_like = apply_weighting, reshape_like

__all__ = [
    "CTCLoss",
    "CosineEmbeddingLoss",
    "HingeLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "PoissonNLLLoss",
    "SDMLLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
]
