"""``GLUONIC_CHECK=1`` refuses what MXNet accepts silently; without it, values are MXNet's."""

import json
import re
from typing import Any

import pytest

import gluonic as mx
from tests.face.commands import command
from tests.measured import out_of_range
from tests.measured.measure import agrees, found, read

CASES = out_of_range.cases(mx)
MEASURED = read("out_of_range")

RUN_ALL = """
import json, gluonic
from tests.measured import out_of_range
told = {}
for name, run in out_of_range.cases(gluonic).items():
    try:
        run()
    except gluonic.MXNetError as error:
        told[name] = str(error)
print(json.dumps(told))
"""
NOTHING_WRONG = """
import gluonic as mx
from gluonic import nd
net = mx.gluon.nn.Embedding(3, 2)
net.initialize()
for hybridize in (False, True):
    net.hybridize(hybridize)
    assert net(nd.array([0, 2])).shape == (2, 2)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize(hybridize)
    assert loss(nd.ones((2, 3)), nd.array([0, 2])).shape == (2,)
    loss = mx.gluon.loss.L2Loss()
    loss.hybridize(hybridize)
    assert loss(nd.ones((2, 3)), nd.ones((2, 3))).shape == (2,)
ignoring = dict(use_ignore=True, ignore_label=-1)
assert nd.SoftmaxOutput(nd.ones((2, 3)), nd.array([-1, 2]), **ignoring).shape == (2, 3)
assert nd.take(nd.ones((3, 2)), nd.array([-1]), mode="wrap").shape == (1, 2)
"""


@pytest.fixture(scope="module")
def messages() -> Any:
    ran = command("-c", RUN_ALL, GLUONIC_CHECK="1")
    assert not ran.returncode, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("name", CASES)
def test_indices_beyond_the_ends_give_the_results_of_mxnet(name: str) -> None:
    assert agrees(found(mx, CASES[name]), MEASURED[name])


@pytest.mark.parametrize("name", CASES)
def test_checking_reports_the_index_or_the_shapes_the_operator_and_the_users_line(
    name: str, messages: Any
) -> None:
    assert name in messages, "it was let pass"
    kind, message = name.split(", ")[1], messages[name]
    if kind in out_of_range.LABELS:
        operator = {"SoftmaxCrossEntropyLoss": "pick"}.get(name.split(",")[0], name.split(",")[0])
        wrong = next(y for y in out_of_range.LABELS[kind] if not 0 <= y < 3)
        index = out_of_range.LABELS[kind].index(wrong)
        assert message.startswith(f"{operator}: index {wrong} is out of range for an axis of 3")
        assert f"it is at ({index},) of an array of shape (3,)" in message
    else:
        prediction, label = out_of_range.SHAPES[kind]
        assert f"lhs {label}, rhs {prediction}" in message.splitlines()[-1]
        assert re.search(r"in block \w*loss", message)
    assert re.search(
        rf'File "{re.escape(out_of_range.__file__)}", line \d+, in (applied|with_gradient)',
        message,
    )


def test_checking_accepts_valid_programs() -> None:
    ran = command("-c", NOTHING_WRONG, GLUONIC_CHECK="1")
    assert not ran.returncode, ran.stderr
