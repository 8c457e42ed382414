"""A library in place of NVIDIA's driver, for machines without a GPU."""

import ctypes
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gluonic.device.cuda.device import CudaDevice
from gluonic.device.cuda.driver import Driver

COMPILER = shutil.which("cc")
SOURCE = Path(__file__).parent / "driver_without_gpu.c"


class DriverWithoutGpu:
    """The library: what its driver was asked to do, and what it shall do.

    Parameters
    ----------
    file : the library's file
    """

    def __init__(self, file: Path) -> None:
        self.library = ctypes.CDLL(str(file))
        self.library.test_journal.restype = ctypes.c_char_p
        self.library.test_in_use.restype = ctypes.c_size_t
        self.library.test_memory.argtypes = [ctypes.c_size_t]
        self.library.test_pin.argtypes = [ctypes.c_size_t, ctypes.c_size_t]

    def forget(self) -> None:
        """Begin a new journal."""
        self.library.test_forget()

    def calls(self) -> list[str]:
        """The functions that were called since, but those that make the context current."""
        names = self.library.test_journal().decode().split()
        return [name for name in names if name != "cuCtxSetCurrent"]

    def fail(self, name: str, status: int, times: int = 1) -> None:
        """Let the next calls of a function fail."""
        self.library.test_fail(name.encode(), status, times)

    def device(self, ordinal: int = 0) -> CudaDevice:
        """A new device."""
        made = CudaDevice(ordinal, Driver(self.library))
        self.forget()
        return made


@pytest.fixture(scope="session")
def driver_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled library; a test that asks for it is skipped where there is no compiler."""
    if COMPILER is None:
        pytest.skip("there is no C compiler")
    target = tmp_path_factory.mktemp("driver") / "libdriver.so"
    flags = ["-std=c11", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    command = [COMPILER, *flags, str(SOURCE), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def driver(driver_file: Path) -> Iterator[DriverWithoutGpu]:
    """The library, as if it had just been loaded."""
    made = DriverWithoutGpu(driver_file)
    made.library.test_reset()
    yield made
    made.library.test_reset()
