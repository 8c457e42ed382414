"""Random nets compute on the GPU what they compute on the CPU, eagerly and hybridized."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, given, settings

import gluonic as mx
from gluonic import autograd, nd
from gluonic.gluon import nn
from gluonic.graph.errors import MXNetError
from tests.codegen.random_nets import random_nets
from tests.gpu.arrays import Array, are_there, through_host, worst
from tests.gpu.report import FAILED, OK, WRONG, Report


def _net(makers: Sequence[Any], shape: tuple[int, ...], seed: int, context: mx.Context) -> Any:
    net = nn.HybridSequential()
    net.add(*[make() for make in makers])
    net.initialize(mx.init.Zero(), ctx=context)
    with autograd.predict_mode():
        net(nd.zeros((2, *shape), ctx=context))
    random = np.random.default_rng(seed)
    for parameter in net.collect_params().values():
        numbers = random.uniform(-0.5, 0.5, parameter.shape)
        if "gamma" in parameter.name or "var" in parameter.name:
            numbers = np.abs(numbers) + 0.5
        parameter.set_data(nd.array(numbers))
    return net


def _results(net: Any, numbers: Array, context: mx.Context) -> list[Array]:
    """The output, the gradient of the input and those of the parameters."""
    x = nd.array(numbers, ctx=context)
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = net(x)
    y.backward()
    parameters = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [y.asnumpy(), x.grad.asnumpy(), *[p.grad().asnumpy() for p in parameters]]


def _compare(report: Report, number: int, made: tuple[Any, tuple[int, ...], int]) -> str:
    makers, shape, seed = made
    numbers = np.random.default_rng(seed).uniform(-1, 1, (3, *shape)).astype(np.float32)
    host = _net(makers, shape, seed, mx.cpu())
    expected = _results(host, numbers, mx.cpu())
    nudged = numbers * (1 + 1e-6 * np.random.default_rng(1).choice([-1, 1], numbers.shape))
    slack = worst(_results(host, nudged.astype(np.float32), mx.cpu()), expected)
    net = _net(makers, shape, seed, mx.gpu(0))
    for way in ("eager", "hybridized", "hybridized again"):
        if way == "hybridized":
            net.hybridize()
        far = worst(_results(net, numbers, mx.gpu(0)), expected)
        if far > 1e-4 + 50 * slack:
            detail = f"{far} of {slack} is due to rounding; input {shape}, seed {seed}: {net!r}"
            report.add(f"net {number}, {way}", WRONG, detail[:1500])
            return WRONG
    return OK


def whole(report: Report) -> None:
    """Compare as many nets as there is time for."""
    if not are_there(report):
        return
    counts: dict[str, Any] = {OK: 0, WRONG: 0, FAILED: 0}
    end = time.monotonic() + (30 if report.small else 45)
    examples = 10 if report.small else 400

    @hypothesis.seed(report.share)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(random_nets())
    def look(made: Any) -> None:
        if time.monotonic() > end:
            return
        number = sum(counts.values())
        try:
            makers, shape, seed = made
            _net(makers, shape, seed, mx.cpu())
        except MXNetError:  # layers that do not fit together
            hypothesis.reject()
        try:
            counts[_compare(report, number, made)] += 1
        except Exception as error:
            counts[FAILED] += 1
            report.add(f"net {number}", FAILED, f"{type(error).__name__}: {error}"[:1500])

    look()
    report.add(f"share {report.share}: all", through_host=through_host(), **counts)
