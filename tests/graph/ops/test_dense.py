"""Shape inference of the fully connected layer, forwards and backwards."""

from typing import Any

import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import InferenceError
from gluonic.graph.infer import infer
from gluonic.graph.node import Graph, Node, make_node

INPUTS = ("data", "weight", "bias")


def shapes_of(known: dict[str, Any], **attributes: Any) -> list[Any]:
    """The shapes of data, weight, bias and output; `same` has the output's shape."""
    variables = [Node(None, name) for name in (*INPUTS, "same")]
    node = make_node("FullyConnected", [v.entry() for v in variables[:3]], attributes)
    total = make_node("elemwise_add", [node.entry(), variables[3].entry()])
    given = {v: known[v.name] for v in variables if v.name in known}
    facts = infer(Graph([total.entry()]), "shape", given)
    return [facts[n][0] for n in (*variables[:3], node)]


def test_parameters_follow_from_data() -> None:
    found = shapes_of({"data": (7, 2, 3)}, num_hidden=4)
    assert found == [(7, 2, 3), (4, 6), (4,), (7, 4)]
    found = shapes_of({"data": (7, 2, 3)}, num_hidden=4, flatten=False)
    assert found == [(7, 2, 3), (4, 3), (4,), (7, 2, 4)]
    assert shapes_of({"data": (7,)}, num_hidden=4)[1:] == [(4, 1), (4,), (7, 4)]


def test_an_unknown_batch_does_not_hide_the_features() -> None:
    assert shapes_of({"data": (None, 3)}, num_hidden=4) == [(None, 3), (4, 3), (4,), (None, 4)]


def test_the_batch_follows_from_the_output() -> None:
    assert shapes_of({"data": (None, 3), "same": (7, 4)}, num_hidden=4)[0] == (7, 3)
    found = shapes_of({"data": (None, None, 3), "same": (7, 5, 4)}, num_hidden=4, flatten=False)
    assert found[0] == (7, 5, 3)


@pytest.mark.parametrize(
    ("known", "culprit"),
    [
        ({"data": (7, 3), "weight": (4, 2)}, "weight"),
        ({"data": (7, 3), "bias": (3,)}, "bias"),
        ({"data": (7, 3), "bias": (4, 1)}, "bias"),
    ],
)
def test_a_conflict_names_the_culprit(known: dict[str, Any], culprit: str) -> None:
    with pytest.raises(InferenceError, match=f"{culprit} is"):
        shapes_of(known, num_hidden=4)
