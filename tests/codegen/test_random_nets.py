"""Random hybrid nets compute, learn and notice changes as their eager twins do; see also `fuzz`."""

from collections.abc import Sequence
from typing import Any

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluonic.graph.errors import MXNetError
from tests.codegen.random_nets import EVENTS, Made, RandomNet, play, random_nets


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(random_nets(), st.lists(EVENTS, min_size=2, max_size=5))
def test_hybridized_nets_do_what_their_eager_twins_do(made: Made, events: Sequence[Any]) -> None:
    try:
        net = RandomNet(*made)
    except MXNetError:  # layers that do not fit together
        hypothesis.reject()
    play(net, events)
