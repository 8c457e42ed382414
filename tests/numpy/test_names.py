"""Where programs look for the functions that call NumPy's operators."""

import inspect

import pytest

from gluonic import _numpy_op_doc
from gluonic.graph.operator import REGISTRY
from gluonic.numpy_op_signature import _get_builtin_op


@pytest.mark.parametrize("name", sorted(name for name in REGISTRY if name.startswith("_np_")))
def test_an_operator_is_documented_by_the_function_that_calls_it(name: str) -> None:
    documented, called = getattr(_numpy_op_doc, name), _get_builtin_op(name)
    assert called is not None
    assert str(inspect.signature(documented)) == str(inspect.signature(called))
    assert documented.__doc__


def test_what_is_no_operator_has_no_documentation() -> None:
    assert not hasattr(_numpy_op_doc, "_np_no_such_operator")
    assert not hasattr(_numpy_op_doc, "sum_of_nothing")
