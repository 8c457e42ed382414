"""A training loop works in memory that it has: what a step frees, the next one finds."""

import os
import platform
from typing import Any

import pytest

from tests.face.commands import command

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's malloc")

_TRAINING = """
import resource
import sys
import gluonic as mx

layers = [mx.gluon.nn.Dense(units, flatten=False, activation="tanh") for units in (256, 32, 256, 32)]
net = mx.gluon.nn.HybridSequential()
net.add(*layers)
net.initialize()
if sys.argv[1] == "compiled":
    net.hybridize()
x = mx.nd.ones((4, 1000, 32))
trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})


def step():
    with mx.autograd.record():
        found = net(x)
        loss = found.sum() + (found * 2).exp().mean() + layers[0](x).mean()
    loss.backward()
    trainer.step(4)
    mx.nd.waitall()


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


for _ in range(8):
    step()
counts = []
for _ in range(5):
    before = faults()
    step()
    counts.append(faults() - before)
print(sorted(counts)[2])
"""
_BY_ITSELF = {"MALLOC_TRIM_THRESHOLD_": str(128 << 10)}


def _faults(mode: str, **environment: Any) -> int:
    """How many pages a step faults in, of the median of some."""
    done = command("-c", _TRAINING, mode, GLUONIC_NUM_THREADS="1", **environment)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("mode", ["eager", "compiled"])
def test_steps_fault_in_no_memory(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith("MALLOC_") or name == "GLIBC_TUNABLES":
            monkeypatch.delenv(name)
    assert _faults(mode) < 50


@pytest.mark.parametrize(
    "setting",
    [_BY_ITSELF, {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"}],
    ids=["variable", "tunable"],
)
def test_a_threshold_set_by_the_user_is_respected(setting: dict[str, str]) -> None:
    assert _faults("eager", **setting) > 500
