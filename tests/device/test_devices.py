"""Which devices there are: what programs ask before they use one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic.device import devices

ASK = """
import json, sys
import gluonic as mx
from gluonic.commands.info import found
before = "gluonic.device.cuda.driver" in sys.modules
answers = {
    "before": before,
    "count": mx.num_gpus(),
    "feature": mx.runtime.Features().is_enabled("CUDA"),
    "facts": found(),
}
for name, use in {
    "memory": lambda: mx.context.gpu_memory_info(0),
    "cache": lambda: mx.gpu(0).empty_cache(),
    "absent": lambda: mx.context.gpu_memory_info(7),
    "array": lambda: mx.nd.ones((1,), ctx=mx.gpu(7)),
}.items():
    try:
        value = use()
        answers[name] = repr(value) if name == "array" else value
    except mx.MXNetError as error:
        answers[name] = str(error)
print(json.dumps(answers))
"""


def answers(**environment: str) -> dict[str, Any]:
    """What a program is told; the driver is loaded once a process."""
    env = {**os.environ, **environment}
    command = [sys.executable, "-c", ASK]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_programs_are_told_of_a_gpu(driver_file: Path) -> None:
    told = answers(GLUONIC_CUDA_DRIVER=str(driver_file), GLUONIC_GPU="")
    assert not told["before"], "importing gluonic looks for no driver"
    assert told["count"] == 1
    assert told["feature"]
    assert told["memory"] == [64 << 20, 64 << 20]
    assert told["cache"] is None
    assert told["facts"]["gpu(0)"].startswith("No GPU at all, compute capability 9.0")
    for name in ("absent", "array"):
        assert "gpu(7): there is no such GPU; use mx.cpu()" in told[name]
        assert "GPUs there are: gpu(0)" in told[name]


def test_programs_are_told_why_there_is_no_gpu(tmp_path: Path) -> None:
    missing = tmp_path / "libcuda.so"
    told = answers(GLUONIC_CUDA_DRIVER=str(missing), GLUONIC_GPU="", CUDA_VISIBLE_DEVICES="3")
    assert told["count"] == 0
    assert not told["feature"]
    assert told["facts"]["CUDA driver"] == "none: there is no NVIDIA driver"
    for name in ("memory", "cache", "absent", "array"):
        assert f"looked for {missing}" in told[name]
        assert "CUDA_VISIBLE_DEVICES=3" in told[name]
        assert "python -m gluonic --cpu" in told[name]


def test_the_cpu_stands_in_whether_or_not_there_is_a_gpu(driver_file: Path) -> None:
    told = answers(GLUONIC_CUDA_DRIVER=str(driver_file), GLUONIC_GPU="cpu")
    assert told["count"] == 0
    assert told["memory"][1] > 64 << 20
    assert told["cache"] is None
    assert "@gpu(7)" in told["array"]


def test_a_driver_that_does_not_work_is_no_gpu(tmp_path: Path) -> None:
    broken = tmp_path / "libcuda.so"
    broken.write_text("no library")
    told = answers(GLUONIC_CUDA_DRIVER=str(broken), GLUONIC_GPU="")
    assert told["count"] == 0
    assert str(broken) in told["array"]


@pytest.mark.parametrize("ordinal", [-1, devices.EMULATED_COUNT])
def test_a_device_that_is_not_emulated_either_is_an_error(
    monkeypatch: pytest.MonkeyPatch, ordinal: int
) -> None:
    monkeypatch.setenv("GLUONIC_GPU", "emulated")
    assert mx.num_gpus() == devices.EMULATED_COUNT
    with pytest.raises(mx.MXNetError, match=rf"(?s)no gpu\({ordinal}\).*GPUs there are: gpu\(0\)"):
        devices.device(ordinal)
