"""The error that a device has not enough memory: what was asked for, what is free, and what holds the most."""

from __future__ import annotations

import gc
from collections import Counter

from gluonic.device.array import DeviceArray
from gluonic.device.device import Device
from gluonic.device.errors import DeviceMemoryError
from gluonic.graph.errors import describe


def lacking(device: Device, size: int) -> DeviceMemoryError:
    """The error that there are not so many bytes."""
    free, total = device.memory_info()
    largest = _largest_arrays(device)
    return DeviceMemoryError(
        describe(
            f"there is no memory for {_mebibytes(size)} on gpu({device.ordinal})",
            facts=[
                f"{_mebibytes(free)} of {_mebibytes(total)} are free; other processes have memory, too",
                *(f"in use: {array}" for array in largest),
            ],
            hint="smaller batches, float16, `del` of arrays that are no longer needed, or nvidia-smi",
        )
    )


def _largest_arrays(device: Device, most: int = 5) -> list[str]:
    """The arrays with the most memory, those alike together; views of one memory count once."""
    arrays: dict[int, DeviceArray] = {}
    for each in gc.get_objects():
        if type(each) is DeviceArray and each.device is device:
            other = arrays.setdefault(id(each.buffer), each)
            if other.nbytes < each.nbytes:
                arrays[id(each.buffer)] = each
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for each in arrays.values():
        name = f"{each.dtype} {each.shape}"
        sizes[name] += each.buffer.size
        counts[name] += 1
    return [
        f"{counts[name]} of {name}, together {_mebibytes(size)}"
        for name, size in sizes.most_common(most)
    ]


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"
