"""The pages of operators: complete, from the definition, and what ``help`` shows."""

import copy
import inspect
import pickle
import pydoc
import re

import pytest

import gluonic as mx
from gluonic.codegen import lowering_of
from gluonic.graph.attributes import REQUIRED
from gluonic.graph.namespaces import public_name_of
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.reference import page, undescribed

PUBLIC = {op.name: op for op in REGISTRY.operators() if not op.name.startswith("_backward")}


def section(text: str, title: str) -> str:
    """What stands below a heading of a page."""
    return text.split(f"\n{title}\n{'-' * len(title)}\n")[1].split("\n\n")[0]


def test_every_parameter_of_an_operator_is_described() -> None:
    assert {name: lacking for name, op in PUBLIC.items() if (lacking := undescribed(op))} == {}


@pytest.mark.parametrize("room", ["nd", "sym"])
def test_a_page_lists_all_parameters_with_their_defaults(room: str) -> None:
    for name, op in PUBLIC.items():
        text = page(op, room)
        heads = [h for h in section(text, "Parameters").splitlines() if not h.startswith(" ")]
        listed = [each.strip() for head in heads for each in head.partition(" :")[0].split(",")]
        variadic = [op.variadic] if op.variadic else []
        assert {*op.inputs, *variadic, *op.attributes} <= set(listed), name
        assert len(listed) == len(set(listed)), name
        assert "\nReturns\n-------\n" in text, name
        assert "\nGradient: " in text, name
        for head in heads:
            attribute = op.attributes.get(head.partition(" :")[0])
            if attribute is not None and attribute.default is not REQUIRED:
                assert re.search("default|optional", head), (name, head)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def test_a_page_keeps_what_the_docstring_says() -> None:
    for name, op in PUBLIC.items():
        assert words(op.documentation) <= words(page(op, "nd")), name


def function_of(op: Operator) -> object:
    public = public_name_of(op.name)
    return getattr(getattr(mx.nd, public.module), public.name)


@pytest.mark.parametrize("name", ["Convolution", "_plus_scalar", "_contrib_box_nms", "sort"])
def test_help_shows_the_page(name: str) -> None:
    op = PUBLIC[name]
    function = function_of(op)
    shown = pydoc.plain(pydoc.render_doc(function))
    for line in page(op, "nd").splitlines():
        assert line.strip() in shown
    assert inspect.getdoc(function) == page(op, "nd") == str(function.__doc__)


def test_help_says_how_an_operator_runs_in_hybridized_nets() -> None:
    assert "In hybridized nets: machine code." in (inspect.getdoc(mx.nd.relu) or "")
    names = [op.name for op in REGISTRY.operators() if lowering_of(op).python]
    left = next(getattr(mx.nd, name) for name in names if hasattr(mx.nd, name))
    assert "In hybridized nets: Python runs it, always" in (inspect.getdoc(left) or "")
    assert "In hybridized nets: Python calls your function." in (inspect.getdoc(mx.nd.Custom) or "")


def test_help_names_other_functions_for_the_same_operator() -> None:
    assert "Other names: sym.concat, sym.sparse.concat." in (inspect.getdoc(mx.sym.Concat) or "")
    assert "np.tanh" in (inspect.getdoc(mx.nd.tanh) or "")


def test_the_signature_in_help_has_types_that_a_reader_knows() -> None:
    shown = pydoc.plain(pydoc.render_doc(mx.nd.Convolution))
    assert "num_filter: int = <not given>, num_group: int = 1" in shown


def test_docstrings_can_be_copied_and_pickled() -> None:
    text = mx.nd.tanh.__doc__
    assert copy.deepcopy(text) == pickle.loads(pickle.dumps(text)) == str(text)
