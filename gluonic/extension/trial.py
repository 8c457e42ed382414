"""Opening an extension library in a process of its own: what ends that process must not end the user's.

The process runs this file as a script and imports nothing of gluonic, which would take ten times as long.
It does what loading does: it opens the library, asks for the version, initializes it and reads what it
registers. Before each step it writes a line that says which; the last line is `DONE`, or `REFUSED` if loading
will refuse the library.
"""

import ctypes
import json
import os
import sys
from typing import Any

DONE, REFUSED = "done", "refused"
_MOST = 100_000  # entries of one kind


class _Trial:
    """The steps, each written before it is taken.

    Parameters
    ----------
    path : the library
    report : the descriptor that steps are written to
    """

    def __init__(self, path: str, report: int) -> None:
        self._report = report
        self.step("opening it")
        self.library = ctypes.CDLL(path, mode=os.RTLD_LAZY | os.RTLD_LOCAL)

    def step(self, what: str) -> None:
        os.write(self._report, f"{what}\n".encode())

    def number(self, function: str, *arguments: Any) -> int:
        return int(getattr(self.library, function)(*arguments))

    def run(self, functions: dict[str, dict[str, str]], version: int) -> str:
        """Take all steps, up to one that loading will refuse.

        Parameters
        ----------
        functions : the names of each version's functions
        version : of MXNet, for the library to accept

        Returns
        -------
        str
            how it ended: `DONE` or `REFUSED`
        """
        self.step("asking for its version")
        if not hasattr(self.library, "_opVersion"):
            return REFUSED
        known = functions.get(str(self.number("_opVersion")), {})
        if not known or not all(hasattr(self.library, name) for name in known):
            return REFUSED
        self.step("initializing it")
        if not self.number("initialize", version):
            return REFUSED
        for kind, read in (
            ("op", self._operator),
            ("part", self._partitioner),
            ("pass", self._pass),
        ):
            self.step(f"counting what it registers (_{kind}RegSize)")
            for index in range(self._count(self.number(f"_{kind}RegSize"))):
                self.step(f"reading what it registers (_{kind}RegGet, number {index})")
                read(index)
        return DONE

    def _count(self, count: int) -> int:
        if count > _MOST:
            raise SystemExit(f"it says that it registers {count:,}")
        return count

    def _operator(self, index: int) -> None:
        groups = [_Group() for _ in range(3)]
        name, is_subgraph = ctypes.c_char_p(), ctypes.c_int()
        places = [place for group in groups for place in (group.names, group.values, group.count)]
        rules = [ctypes.c_void_p() for _ in range(5)]
        arguments = [ctypes.byref(place) for place in (name, is_subgraph, *places, *rules)]
        self.number("_opRegGet", index, *arguments)
        _ = name.value
        for group in groups:
            group.read()

    def _partitioner(self, index: int) -> None:
        name = ctypes.c_char_p()
        for strategy in range(
            self._count(self.number("_partRegGetCount", index, ctypes.byref(name)))
        ):
            texts = ctypes.c_char_p(), ctypes.c_char_p()
            rules = [ctypes.byref(ctypes.c_void_p()) for _ in range(3)]
            first, last = map(ctypes.byref, texts)
            self.number("_partRegGet", index, strategy, first, *rules, last)
            _ = [text.value for text in (name, *texts)]

    def _pass(self, index: int) -> None:
        handle, name = ctypes.c_void_p(), ctypes.c_char_p()
        self.number("_passRegGet", index, ctypes.byref(handle), ctypes.byref(name))
        _ = name.value


class _Group:
    """The functions of one kind, by device: addresses of two arrays, and their length."""

    def __init__(self) -> None:
        self.names, self.values, self.count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()

    def read(self) -> None:
        count = self.count.value
        if count and self.names.value and self.values.value:
            _ = list((ctypes.c_char_p * count).from_address(self.names.value))
            _ = list((ctypes.c_void_p * count).from_address(self.values.value))


def main() -> None:
    """Try the library that the arguments name; what it prints goes to the standard error."""
    path, functions, version = sys.argv[1:]
    report = os.dup(1)
    os.dup2(2, 1)
    try:
        trial = _Trial(path, report)
    except OSError:  # loading reports it
        end = REFUSED
    else:
        end = trial.run(json.loads(functions), int(version))
    os.write(report, end.encode())
    os._exit(0)


if __name__ == "__main__":
    main()
