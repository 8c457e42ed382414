"""``info --for`` names the versions that a program needs, from its text alone."""

import json
import sys
from pathlib import Path

import pytest

from gluonic.tools.program_needs import Needs, needs_of
from gluonic.tools.removals import PACKAGES, PYTHON, Package
from tests.face.commands import gluonic_command

# in the manner of a trainer of detectors: helpers of several packages, Python 2 still in mind
_DETECTOR = """
import sys
try:
    import cPickle as pickle
except ImportError:
    import pickle
import numpy as np
import mxnet as mx
import scipy.misc
from collections import Mapping
from helpers import boxes
from sklearn.externals import joblib as jl
if sys.version_info[0] < 3:
    import Queue as queue
scale = np.float(2)
overlaps = boxes.overlaps(np.array([[1]], dtype=np.float32), scale).ptp()
def load(path):
    return scipy.misc.imread(path), yaml.load(open(path)), yaml.load(open(path), Loader=yaml.Loader)
import yaml
"""
_BOXES = """
from . import constants
import numpy
def overlaps(a, b):
    return numpy.reshape(a, newshape=(-1,)) * numpy.in1d(a, b)
"""
# in the manner of a forecaster
_FORECASTER = """
import pandas as pd
from pandas.util.testing import assert_frame_equal
frame = pd.read_csv("a.csv", error_bad_lines=False)
for name, column in frame.iteritems():
    frame = frame.append({name: 1}, ignore_index=True)
[].append(3)
frame.applymap(str)
"""
# in the manner of a graph network
_GRAPHS = """
import networkx as nx
graph = nx.from_numpy_matrix(matrix)
parts = nx.connected_component_subgraphs(graph)
"""
# in the manner of a plotter, and of a writer of logs
_PLOTS = """
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot as plt, cm
from PIL import Image
plt.stem([1], use_line_collection=True)
cm.get_cmap("jet")
Image.open("a").resize((3, 3), Image.ANTIALIAS)
import imp, distutils.version
"""
_PYTHON_2 = """
from functools import reduce
import numpy as np
for i in xrange(3):
    print(reduce(max, {}.itervalues()), unicode(i), cmp)
def cmp(a, b): ...
"""
_NEWEST = """
import json, numpy as np, pandas as pd, mxnet as mx, yaml
from collections.abc import Mapping
pd.concat([pd.DataFrame()], ignore_index=True).items()
np.reshape(np.zeros(2), (1, 2)), yaml.load("a", yaml.Loader)
"""


def _needs(folder: Path, **programs: str) -> Needs:
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    return needs_of([folder / f"{name}.py" for name in programs])


def _what(needs: Needs) -> dict[str, list[str]]:
    return {name: [need.what for need in of] for name, of in needs.needs.items()}


def test_a_script_is_read_with_the_modules_beside_it(tmp_path: Path) -> None:
    package = tmp_path / "helpers"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "constants.py").write_text("import numpy as np\nlow = np.NINF\n")
    (package / "boxes.py").write_text(_BOXES)
    needs = _needs(tmp_path, train=_DETECTOR)
    assert sorted(Path(name).name for name in needs.files) == [
        "__init__.py", "boxes.py", "constants.py", "train.py",
    ]  # fmt: skip
    assert {need.what for need in needs.restored} == {
        "collections.Mapping", "numpy.float", ".ptp", "numpy.reshape(newshape)", "numpy.in1d",
        "numpy.NINF",
    }  # fmt: skip
    assert needs.pins == {}
    assert {name: [n.what for n in of] for name, of in needs.unavailable.items()} == {
        "scipy": ["scipy.misc.imread"], "scikit-learn": ["sklearn.externals.joblib"], "pyyaml": ["yaml.load()"],
    }  # fmt: skip
    assert needs.unavailable["scipy"][0].places == [f"{tmp_path / 'train.py'}:18"]
    assert needs.packages == ["numpy", "pyyaml", "scikit-learn", "scipy"]


def test_names_keywords_and_methods_are_pinned_with_what_follows(tmp_path: Path) -> None:
    needs = _needs(tmp_path, forecast=_FORECASTER)
    assert _what(needs) == {
        "pandas": [
            "pandas.util.testing", "pandas.read_csv(error_bad_lines)", ".iteritems", ".append(ignore_index)",
            ".applymap",
        ]
    }  # fmt: skip
    assert needs.pins == {"pandas": "<2.0", "numpy": "<2.0"}
    assert needs.python == "3.11"
    assert needs.packages == ["'numpy<2.0'", "'pandas<2.0'"]


def test_what_no_version_for_this_python_has_is_not_pinned(tmp_path: Path) -> None:
    needs = _needs(tmp_path, graphs=_GRAPHS)
    assert needs.pins == {"networkx": "<3.0"}
    assert [n.what for n in needs.unavailable["networkx"]] == [
        "networkx.connected_component_subgraphs"
    ]


def test_several_packages_and_python_itself(tmp_path: Path) -> None:
    needs = _needs(tmp_path, plots=_PLOTS)
    assert needs.pins == {
        "Python": "<3.12", "matplotlib": "<3.8", "pillow": "<10.0", "numpy": "<2.0",
    }  # fmt: skip
    assert needs.python == "3.11"


def test_a_program_of_now_needs_no_old_version(tmp_path: Path) -> None:
    needs = _needs(tmp_path, now=_NEWEST)
    assert (needs.pins, needs.needs, needs.unavailable, needs.restored) == ({}, {}, {}, [])
    assert needs.packages == ["numpy", "pandas", "pyyaml"]


def test_names_of_python_2_are_found_unless_the_file_binds_them(tmp_path: Path) -> None:
    needs = _needs(tmp_path, old=_PYTHON_2)
    assert [n.what for n in needs.unavailable["Python"]] == ["xrange", ".itervalues", "unicode"]
    assert needs.pins == {}


def test_methods_count_only_where_the_package_is_imported(tmp_path: Path) -> None:
    assert _needs(tmp_path, other="import numpy\n{}.iteritems()\n").pins == {}


def test_files_that_are_not_python_3_are_named(tmp_path: Path) -> None:
    needs = _needs(tmp_path, old="import numpy\nprint 'a'\n")
    (place,) = needs.unreadable
    assert place.startswith(f"{tmp_path / 'old.py'}:2: ")


def test_the_command_prints_places_and_a_line_for_pip(tmp_path: Path) -> None:
    (tmp_path / "forecast.py").write_text(_FORECASTER)
    (tmp_path / "bad.py").write_text("print 1\n")
    found = gluonic_command("info", "--for", str(tmp_path))
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[-1] == "pip install 'numpy<2.0' 'pandas<2.0'"
    assert f"  .iteritems  {tmp_path / 'forecast.py'}:5  (now: items)" in lines
    found = gluonic_command("info", "--for", str(tmp_path), "--json")
    assert json.loads(found.stdout)["pins"] == {"pandas": "<2.0", "numpy": "<2.0"}
    assert gluonic_command("info", "--for", str(tmp_path / "none.py")).returncode == 1


@pytest.mark.parametrize("package", [PYTHON, *PACKAGES.values()], ids=lambda package: package.name)
def test_the_table_is_in_order_and_names_each_place_once(package: Package) -> None:
    removed = package.removed
    versions = [tuple(map(int, version.split("."))) for version in removed]
    assert versions == sorted(versions)
    places = [place for group in removed.values() for place in group]
    assert len(places) == len(set(places))
    assert set(package.newest_python) <= {*removed, "2.0"}


def test_the_oldest_python_is_the_projects() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'requires-python = ">={PYTHON.first}"' in text
    assert sys.version_info >= tuple(map(int, PYTHON.first.split(".")))
