"""Operators of attention refuse invalid inputs."""

import pytest

from gluonic import nd, sym
from gluonic.graph.errors import InferenceError
from gluonic.graph.shape_semantics import np_shape


def test_without_an_axis_there_is_no_length_to_divide_by() -> None:
    with pytest.raises(InferenceError, match="no axis"):
        nd.contrib.div_sqrt_dim(nd.array(1.0))
    with np_shape(), pytest.raises(InferenceError, match="no axis"):
        sym.contrib.div_sqrt_dim(sym.var("x", shape=())).infer_shape()
