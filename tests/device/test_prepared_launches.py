"""Launches that were prepared do what the same launches do one by one."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluonic.device import DeviceArray, PreparedLaunch
from gluonic.device.cuda.device import CudaDevice
from gluonic.device.errors import DeviceError
from gluonic.device.tensor_maps import WORDS, TensorMap
from tests.device.conftest import DriverWithoutGpu
from tests.device.test_cuda_device import ONE, PTX, THREADS, kernel

COUNT = 8
INVALID, OUT_OF_MEMORY = 1, 2
NUMBERS = st.integers(-(2**62), 2**62)


def counting(device: CudaDevice, *numbers: int | None) -> Callable[..., None]:
    """Add each number, or the second value of a call, to the elements from the second on of an address."""
    function = kernel(device)
    values = [0, *(1 if number is None else None for number in numbers)]
    launches = [
        PreparedLaunch(function, ONE, THREADS, ((0, 8), (index, number or 0), (None, COUNT - 1)))
        for index, number in zip(values[1:], numbers, strict=True)
    ]
    return device.prepared(launches, 2)


@pytest.mark.parametrize("waits", [False, True])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.none() | NUMBERS, max_size=5), st.lists(NUMBERS, min_size=1, max_size=3))
def test_values_go_where_a_launch_wants_them(
    driver: DriverWithoutGpu, waits: bool, numbers: list[int | None], given: list[int]
) -> None:
    device = driver.device()
    device.waits_after_launches = waits
    launch, expected = counting(device, *numbers), np.arange(COUNT)
    there = DeviceArray.of_host(device, expected)
    driver.forget()
    for value in given:
        launch(there.address, value)
        for number in numbers:
            expected[1:] += value if number is None else number
    assert driver.calls().count("cuLaunchKernel") == len(numbers) * len(given)
    np.testing.assert_array_equal(there.to_host(), expected)


def test_launches_without_blocks_are_left_out(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    nothing = PreparedLaunch(kernel(device), (1, 0, 1), THREADS, ((None, 0),) * 3)
    driver.forget()
    device.prepared([nothing], 0)()
    assert "cuLaunchKernel" not in driver.calls()


def test_a_launch_that_fails_is_named_and_those_after_it_are_not_queued(
    driver: DriverWithoutGpu,
) -> None:
    device = driver.device()
    there = DeviceArray.of_host(device, np.arange(COUNT))
    launch = counting(device, 1, None, 100)
    driver.fail("cuLaunchKernel", INVALID)
    with pytest.raises(
        DeviceError, match=rf"kernel add: grid(.|\n)*arguments: {there.address + 8:#x}, 0x1, 0x7"
    ):
        launch(there.address, 5)
    np.testing.assert_array_equal(there.to_host(), np.arange(COUNT))


def test_a_wrong_number_of_arguments_is_refused_at_once(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    with pytest.raises(DeviceError, match="kernel add has 3 parameters of 64 bits"):
        device.prepared([PreparedLaunch(kernel(device), ONE, THREADS, ((0, 0),))], 1)


def test_arguments_that_follow_a_large_parameter_are_those_that_a_launch_gives(
    driver: DriverWithoutGpu,
) -> None:
    device = driver.device()
    ptx = PTX.format(version="8.0", name="add")
    (function,) = device.load(ptx.replace(".u64 target", ".align 64 .b8 target[128]"), ["add"])
    there = DeviceArray.of_host(device, np.arange(COUNT))
    _, *others = device.tensor_map(TensorMap("tf32", 9, 5, 48, 7))
    described = ((0, 0), *[(None, word) for word in others])
    first, second = (
        PreparedLaunch(function, ONE, THREADS, (*described, (None, n), (None, COUNT)))
        for n in (3, 40)
    )
    device.prepared([first, second], 1)(there.address)
    device.launch(function, ONE, THREADS, [there.address, *[0] * 15, 500, COUNT])
    np.testing.assert_array_equal(there.to_host(), np.arange(COUNT) + 543)


def test_a_matrix_is_described_by_its_extents_and_those_of_its_boxes(
    driver: DriverWithoutGpu,
) -> None:
    words = driver.device().tensor_map(TensorMap("tf32", 9, 5, 48, 7))
    assert words[:9] == (
        0,
        11,
        2,
        9,
        5,
        48,
        32,
        7,
        0x3020,
    )  # the last: swizzle, and how it is fetched
    assert len(words) == WORDS


LONG = [3, None, -1, None, 7, 0]


@pytest.mark.parametrize("changing", ["nothing", "a number", "the address"])
def test_many_launches_become_a_graph_when_they_come_again(
    driver: DriverWithoutGpu, changing: str
) -> None:
    device = driver.device()
    launch = counting(device, *LONG)
    arrays = [DeviceArray.of_host(device, np.zeros(COUNT, np.int64)) for _ in range(2)]
    expected = [0, 0]
    for call in range(30):
        which = call % 2 if changing == "the address" else 0
        value = call if changing == "a number" else 5
        launch(arrays[which].address, value)
        expected[which] += sum(value if number is None else number for number in LONG)
        if call == 20:
            driver.forget()
    for array, total in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(array.to_host()[1:], total)
    calls = driver.calls()
    as_graph = changing != "the address"
    assert calls.count("cuGraphLaunch") == 9 * as_graph
    assert calls.count("cuLaunchKernel") == 9 * len(LONG) * (not as_graph)
    changed = LONG.count(None) if changing == "a number" else 0
    assert calls.count("cuGraphExecKernelNodeSetParams") == 9 * changed


def test_a_graph_is_queued_again_after_calls_with_another_address(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    launch = counting(device, *LONG)
    arrays = [DeviceArray.of_host(device, np.zeros(COUNT, np.int64)) for _ in range(2)]
    turns = [0] * 12 + [1] * 3 + [0] * 3
    for which in turns:
        launch(arrays[which].address, 5)
    each = sum(5 if number is None else number for number in LONG)
    for which, array in enumerate(arrays):
        np.testing.assert_array_equal(array.to_host()[1:], each * turns.count(which))


@pytest.mark.parametrize(
    "why", ["the environment", "the driver is old", "there is only one", "memory is lacking"]
)
def test_launches_stay_launches(
    driver: DriverWithoutGpu, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "the environment":
        monkeypatch.setenv("GLUONIC_GPU_GRAPHS", "0")
    if why == "the driver is old":
        driver.library.test_version(11080)
    device = driver.device()
    if why == "memory is lacking":
        driver.fail("cuGraphInstantiateWithFlags", OUT_OF_MEMORY)
    launch = counting(device, *LONG[: 1 if why == "there is only one" else None])
    there = DeviceArray.of_host(device, np.zeros(COUNT, np.int64))
    for _ in range(20):
        launch(there.address, 5)
    assert "cuGraphLaunch" not in driver.calls()


@pytest.mark.parametrize("name", ["cuGraphLaunch", "cuGraphExecKernelNodeSetParams"])
def test_a_graph_that_fails_is_an_error_and_works_afterwards(
    driver: DriverWithoutGpu, name: str
) -> None:
    device = driver.device()
    launch = counting(device, *LONG)
    there = DeviceArray.of_host(device, np.zeros(COUNT, np.int64))
    for _ in range(12):
        launch(there.address, 5)
    before = there.to_host()
    driver.fail(name, INVALID)
    with pytest.raises(DeviceError, match=name):
        launch(there.address, 6)
    np.testing.assert_array_equal(there.to_host(), before)
    launch(there.address, 6)
    added = sum(6 if number is None else number for number in LONG)
    np.testing.assert_array_equal(there.to_host()[1:], before[1:] + added)


def test_graphs_are_destroyed_when_no_work_waits(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    launch = counting(device, *LONG)
    there = DeviceArray.of_host(device, np.zeros(COUNT, np.int64))
    for _ in range(12):
        launch(there.address, 5)
    driver.forget()
    del launch
    assert driver.calls() == []
    device.synchronize()
    assert {"cuGraphExecDestroy", "cuGraphDestroy"} < {*driver.calls()}


def test_threads_share_what_was_prepared(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    arrays = [DeviceArray.of_host(device, np.zeros(COUNT, np.int64)) for _ in range(4)]
    launch = counting(device, None)

    def work(number: int) -> None:
        for _ in range(500):
            launch(arrays[number].address, number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, array in enumerate(arrays):
        np.testing.assert_array_equal(array.to_host()[1:], 500 * number)
