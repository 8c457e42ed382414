"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.metric import *
from gluonic.metric import (
    Accuracy as Accuracy,
    Caffe as Caffe,
    CompositeEvalMetric as CompositeEvalMetric,
    CrossEntropy as CrossEntropy,
    CustomMetric as CustomMetric,
    EvalMetric as EvalMetric,
    F1 as F1,
    Loss as Loss,
    MAE as MAE,
    MCC as MCC,
    MSE as MSE,
    NegativeLogLikelihood as NegativeLogLikelihood,
    PCC as PCC,
    PearsonCorrelation as PearsonCorrelation,
    Perplexity as Perplexity,
    RMSE as RMSE,
    TopKAccuracy as TopKAccuracy,
    Torch as Torch,
    check_label_shapes as check_label_shapes,
    create as create,
    np as np,
)
from gluonic.metric.averages import *
from gluonic.metric.base import *
from gluonic.metric.classification import *
from gluonic.metric.confusion import *
from gluonic.metric.regression import *
