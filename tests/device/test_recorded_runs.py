"""Steps in a row are recorded when they come back with the same memory; their results are the same."""

import threading
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.cuda.device_runs import CopyRun, LaunchRun
from gluonic.codegen.cuda.recorded_runs import RecordedRuns, joined
from gluonic.device import DeviceArray
from gluonic.device.cuda.device import CudaDevice
from gluonic.graph import Node, Run
from gluonic.graph.random_source import RandomSource
from tests.device.conftest import DriverWithoutGpu
from tests.device.test_cuda_device import ONE, THREADS, kernel

RUN = Run(train=False, random=RandomSource(0))
COUNT = 8


def steps(device: CudaDevice) -> list[Any]:
    """``out = copy(x) + 1 + 10``, through memory of their own: slots 0 (x) to 2 (out)."""
    add, node = kernel(device), Node(None, "node")
    copy = CopyRun(device, node, 0, 1, 8 * COUNT)
    first = LaunchRun(
        device,
        [],
        [(add, ONE, THREADS, (1,), (), (number, COUNT), 0) for number in (1, 10)],
        [],
        [node],
    )
    last = CopyRun(device, node, 1, 2, 8 * COUNT)
    last.freed = (1,)
    return [copy, first, last]


def result(runs: RecordedRuns, x: DeviceArray) -> np.ndarray[Any, Any]:
    owners: list[Any] = [x.buffer, None, None]
    addresses = [x.address, 0, 0]
    runs(owners, addresses, RUN)
    return DeviceArray(owners[2], 0, (COUNT,), np.dtype("int64")).to_host()


def recording(driver: DriverWithoutGpu) -> tuple[CudaDevice, RecordedRuns]:
    device = driver.device()
    runs = RecordedRuns(device, steps(device))
    driver.forget()
    return device, runs


def test_calls_with_the_same_memory_are_recorded_and_replayed(driver: DriverWithoutGpu) -> None:
    device, runs = recording(driver)
    x = DeviceArray.of_host(device, np.arange(COUNT))
    for number in range(10):
        x.copy_from_host(np.arange(COUNT) + number)
        np.testing.assert_array_equal(result(runs, x), np.arange(COUNT) + number + 11)
    calls = driver.calls()
    assert calls.count("cuStreamEndCapture") == 2, "two blocks take turns"
    assert calls.count("cuGraphLaunch") == 6
    assert calls.count("cuLaunchKernel") == 2 * (4 + 2)


def test_calls_with_other_memory_compute_with_it(driver: DriverWithoutGpu) -> None:
    device, runs = recording(driver)
    arrays = [DeviceArray.of_host(device, np.arange(COUNT) * i) for i in range(8)]
    for _ in range(4):
        for i, x in enumerate(arrays):
            np.testing.assert_array_equal(result(runs, x), np.arange(COUNT) * i + 11)


def test_what_is_recorded_does_not_keep_memory(driver: DriverWithoutGpu) -> None:
    device, runs = recording(driver)
    x = DeviceArray.of_host(device, np.arange(COUNT))
    for _ in range(5):
        result(runs, x)
    free, _ = device.memory_info()
    del x
    assert device.memory_info().free > free


def test_without_memory_the_steps_run_one_after_the_other(driver: DriverWithoutGpu) -> None:
    device, runs = recording(driver)
    x = DeviceArray.of_host(device, np.arange(COUNT))
    device.allocate(1 << 20)
    driver.fail("cuMemAlloc_v2", 2, times=2)
    np.testing.assert_array_equal(result(runs, x), np.arange(COUNT) + 11)
    assert "cuMemFree_v2" in driver.calls()
    assert "cuGraphLaunch" not in driver.calls()


def test_threads_share_recorded_steps(driver: DriverWithoutGpu) -> None:
    device, runs = recording(driver)
    wrong = []

    def work(number: int) -> None:
        x = DeviceArray.of_host(device, np.arange(COUNT) * number)
        for _ in range(200):
            if not np.array_equal(result(runs, x), np.arange(COUNT) * number + 11):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("records", [True, False])
def test_steps_are_joined_where_the_device_records(driver: DriverWithoutGpu, records: bool) -> None:
    device = driver.device()
    device.records = records
    runs = steps(device)
    found = list(joined(runs, device))
    assert found == runs if not records else [type(each) for each in found] == [RecordedRuns]
    assert list(joined(runs[:1], device)) == runs[:1]
