"""MXNet 2.0's own unit tests,
run against gluonic: ``python -m tests.mxnet2.conformance FOLDER --out results.json``.

FOLDER is ``tests/python/unittest`` of MXNet's master branch, which is not included. Each file runs in a
process of
its own, which is served by ``install_as_mxnet(version="2.0")``; a test that takes longer than the limit
fails. The
names that NumPy has removed since are restored, and each test begins with the same seeds. ``--test-utils``
names MXNet's own ``test_utils.py``, so that
gluonic does not judge itself. docs/conformance.md has the figures, and why tests fail.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy

RESULTS, LIMIT, JUDGE = "CONFORMANCE_RESULTS", "CONFORMANCE_LIMIT", "CONFORMANCE_JUDGE"
FILES = (
    "test_numpy_op.py", "test_numpy_ndarray.py", "test_numpy_gluon.py", "test_gluon.py",
    "test_gluon_probability_v2.py", "test_numpy_default_dtype.py", "test_numpy_loss.py", "test_gluon_rnn.py",
    "test_gluon_trainer.py", "test_gluon_save.py", "test_gluon_data.py", "test_gluon_utils.py",
    "test_gluon_indexing.py", "test_gluon_control_flow.py", "test_deferred_compute.py", "test_metric.py",
    "test_loss.py", "test_autograd.py", "test_gluon_model_zoo.py",
)  # fmt: skip


SEMANTICS: dict[str, bool] = {}


class TooSlowError(BaseException):
    """A test ran longer than the limit; tests do not catch it."""


def pytest_load_initial_conftests() -> None:
    """Serve MXNet 2.0 to the tests of this process (a hook of pytest, which loads this module)."""
    import gluonic

    gluonic.install_as_mxnet(numpy_aliases=True, version="2.0")
    judge = os.environ.get(JUDGE)
    if judge:
        import mxnet

        spec = importlib.util.spec_from_file_location("mxnet.test_utils", judge)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["mxnet.test_utils"] = mxnet.test_utils = module
        spec.loader.exec_module(module)


def pytest_collection_finish() -> None:
    """Note whether the file has switched NumPy's semantics off, which MXNet 2.0 has on."""
    import mxnet

    SEMANTICS.update(array=mxnet.util.is_np_array(), shape=mxnet.util.is_np_shape())


def pytest_runtest_setup(item: Any) -> None:
    """Begin to measure a test's time, with NumPy's semantics as the file has left them."""
    import mxnet

    mxnet.npx.set_np(**SEMANTICS)
    for seed in (mxnet.random.seed, numpy.random.seed, random.seed):
        seed(1)

    def stop(*_: object) -> None:
        raise TooSlowError(f"longer than {os.environ[LIMIT]} s")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, int(os.environ[LIMIT]))


def pytest_runtest_logreport(report: Any) -> None:
    """Write down how a test ended."""
    if report.when != "call" and report.passed:
        return
    signal.setitimer(signal.ITIMER_PROF, 0)
    crash = getattr(report.longrepr, "reprcrash", None)
    why = "" if crash is None else f"{crash.message} ({Path(crash.path).name}:{crash.lineno})"
    row = {
        "id": report.nodeid,
        "outcome": report.outcome,
        "seconds": report.duration,
        "why": why[:600],
    }
    with open(os.environ[RESULTS], "a") as results:
        results.write(json.dumps(row) + "\n")


def run_file(folder: Path, name: str, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The results of a file's tests, by their names."""
    path = Path(options.out).with_suffix(".part")
    path.write_text("")
    here = Path(__file__).resolve().parent.parent.parent
    environment = {
        **os.environ,
        RESULTS: str(path.resolve()),
        LIMIT: str(options.limit),
        "MXNET_TEST_SEED": "1",
        "MXNET_MODULE_SEED": "1",
        "PYTHONPATH": str(here),
        **({JUDGE: str(Path(options.test_utils).resolve())} if options.test_utils else {}),
    }
    command = [
        sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "tests.mxnet2.conformance", "-c",
        os.devnull, "--noconftest",
        "--rootdir", str(folder), "-p", "no:cacheprovider", "-p", "no:xdist", "--disable-warnings",
        str(folder / name),
    ]  # fmt: skip
    if options.k:
        command += ["-k", options.k]
    with open(Path(options.out).with_suffix(f".{name}.log"), "w") as log:
        subprocess.run(command, cwd=folder, env=environment, stdout=log, stderr=log, check=False)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.unlink()
    return {row["id"].rpartition("/")[2]: row for row in rows}


def main() -> None:
    """Run the files, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", default="conformance.json", help="the file for all results")
    parser.add_argument("--files", nargs="+", default=FILES)
    parser.add_argument(
        "--limit", type=int, default=120, help="seconds of the processor for a test"
    )
    parser.add_argument("--test-utils", help="MXNet's test_utils.py, as the judge")
    parser.add_argument("-k", help="only tests whose names match, as in pytest")
    options = parser.parse_args()
    held = Path(options.out)
    everything: dict[str, Any] = json.loads(held.read_text()) if held.exists() else {}
    for name in options.files:
        rows = run_file(options.folder.resolve(), name, options)
        everything.update(rows)
        counts = Counter(row["outcome"] for row in rows.values())
        ran = counts["passed"] + counts["failed"]
        share = 100 * counts["passed"] / ran if ran else 0.0
        print(
            f"{name:34} {counts['passed']:6} of {ran:6} ({share:5.1f} %), {counts['skipped']} skipped",
            flush=True,
        )
        held.write_text(json.dumps(everything, indent=0))


if __name__ == "__main__":
    main()
