"""Names that NumPy and Python have dropped are restored for programs that request it, and for no others."""

import subprocess
import sys

import numpy as np
import pytest

from tests.face.commands import command, gluonic_command

NUMPY = """
import numpy as np
assert np.zeros(2, np.float).dtype == np.float64 and np.zeros(2, np.int).dtype == np.dtype(int)
assert np.zeros(2, np.bool).dtype == np.bool_ and np.zeros(2, np.object).dtype == object
assert np.zeros(2, np.complex).dtype == np.complex128 and np.array("a", np.str).dtype.kind == "U"
assert np.zeros(2, np.float_).dtype == np.float64 and np.array("a", np.unicode_).dtype.kind == "U"
assert np.Inf == np.PINF == -np.NINF == np.inf and np.isnan(np.NaN)
assert 1 / np.float64(1) + np.PZERO == 1 and np.signbit(np.NZERO) and not np.signbit(np.PZERO)
assert np.product([2, 3]) == 6 and np.cumproduct([2, 3]).tolist() == [2, 6]
assert np.alltrue([1, 1]) and np.sometrue([0, 1])
assert np.in1d([[1, 2]], [2]).tolist() == [False, True]
assert np.in1d([1, 2], [2], invert=True).tolist() == [True, False]
assert np.trapz([1, 2]) == 1.5 and np.row_stack([[1], [2]]).shape == (2, 1)
assert np.asscalar(np.array([3])) == 3 and np.asfarray([1], "int8").dtype == np.float64
assert np.asfarray([1], np.float32).dtype == np.float32 and np.msort([2, 1]).tolist() == [1, 2]
assert np.cast["int8"]([3.7]).dtype == np.int8 and np.round_(2.5) == 2 and np.mat([1]).ndim == 2
assert np.find_common_type([np.float32], [np.float64]) == np.float32
assert np.find_common_type([np.int8], [np.float64]) == np.float64
assert np.find_common_type([np.int8, np.float32], []) == np.float32
assert np.issubsctype(np.int8, np.integer) and issubclass(np.VisibleDeprecationWarning, Warning)
assert np.lib.pad([1], 1, "constant").tolist() == [0, 1, 0]
assert np.lib.arraysetops.union1d([1], [2]).tolist() == [1, 2]
assert np.typeDict["float32"] is np.float32
np.set_string_function(lambda array: "an array")
assert repr(np.zeros(2)) == "an array"
np.set_string_function(None)
assert repr(np.zeros(1)) == "array([0.])"
"""
PYTHON = """
import base64
import collections
import fractions
import inspect
import time
import xml.etree.cElementTree as ET
from collections import Callable, Iterable, Mapping, MutableSequence
assert isinstance({}, collections.Mapping) and isinstance([], Iterable) and isinstance(len, Callable)
spec = inspect.getargspec(lambda a, b=2, *c, **d: 0)
assert spec == (["a", "b"], "c", "d", (2,)) and spec.args == ["a", "b"] and spec.keywords == "d"
assert fractions.gcd(4, 6) == 2 and time.clock() <= time.clock()
assert ET.fromstring("<a/>").tag == "a" and base64.decodestring(base64.encodestring(b"a")) == b"a"
"""
NUMBERS = """
import math
import numpy as np
import mxnet as mx
one = np.array([[3.5]])
assert "%.1f %d %s" % (one, one, float(one)) == "3.5 3 3.5" and int(one) == 3 and math.floor(one) == 3
assert float(np.array([1], np.int8)) == 1 and int(np.array(["7"])) == 7 and math.sqrt(np.array([4])) == 2
assert "%f" % mx.nd.array([2]) == "2.000000" and "%f" % mx.nd.array([2]).asnumpy() == "2.000000"
assert float(np.float32(2)) == float(np.array(2.0)) == 2
for convert in (float, int, math.sqrt):
    for refused in (np.zeros(2), np.zeros(0), np.zeros((2, 1))):
        try:
            convert(refused)
        except TypeError:
            continue
        raise AssertionError(refused)
for repeated in range(1000):
    float(np.zeros(1))
"""
KEYWORDS = """
import numpy as np
from numpy.testing import assert_array_almost_equal, assert_array_equal
x = np.arange(6.0)
assert np.reshape(x, newshape=(2, 3)).shape == np.reshape(x, (2, 3)).shape == (2, 3)
assert np.reshape(a=x, newshape=(3, 2), order="F")[0, 1] == 3
assert abs(np.histogram(x, bins=3, normed=True)[0].sum() - 0.6) < 1e-9
assert np.histogram(x, bins=3, normed=False)[0].sum() == np.histogram(x, bins=3, normed=None)[0].sum() == 6
assert np.histogram2d(x, x, bins=2, normed=True)[0].max() < 1
assert np.histogramdd(x[:, None], bins=2, normed=True)[0].max() < 1
assert np.percentile(x, 50, interpolation="lower") == np.nanpercentile(x, 50, interpolation="lower") == 2
assert np.quantile(x, 0.5, interpolation="higher") == np.nanquantile(x, 0.5, interpolation="higher") == 3
assert np.corrcoef(x, x, bias=True, ddof=1).shape == np.ma.corrcoef(x, x, bias=True).shape == (2, 2)
assert np.array2string(x[:1], style=repr) == "[0.]"
assert_array_equal(x=x, y=x)
assert_array_almost_equal(x=x, y=x + 1e-9)
import io
np.save(io.BytesIO(), x, fix_imports=True)
"""
MODULES = """
import numpy as np
import numpy.compat
import numpy.linalg.linalg
import numpy.testing.utils
import numpy.lib.function_base, numpy.lib.nanfunctions, numpy.lib.shape_base
import numpy.lib.twodim_base, numpy.lib.type_check
from numpy.compat import asbytes, asstr, basestring, integer_types, long, unicode
from numpy.compat.py3k import asbytes_nested
from numpy.lib.index_tricks import r_
from numpy.linalg.linalg import LinAlgError, norm
from numpy.testing.utils import assert_allclose
assert norm([3, 4]) == 5 and issubclass(LinAlgError, Exception) and r_[1:3].tolist() == [1, 2]
assert asbytes("a") == b"a" and asstr(b"a") == "a" and asbytes_nested(["a", ["b"]]) == [b"a", [b"b"]]
assert isinstance("a", (basestring, unicode)) and isinstance(1, (long, *integer_types))
"""
FUNCTIONS = """
import io, warnings
import numpy as np
assert [t.__name__ for t in np.sctypes["int"]] == ["int8", "int16", "int32", "int64"]
assert [t.__name__ for t in np.sctypes["uint"]] == ["uint8", "uint16", "uint32", "uint64"]
assert np.sctypes["float"][:3] == [np.float16, np.float32, np.float64]
assert np.sctypes["others"] == [bool, object, bytes, str, np.void]
assert np.nbytes[np.float32] == 4 and np.nbytes[np.bool_] == 1
assert np.obj2sctype("f") is np.obj2sctype(np.zeros(1, "f")) is np.float32
assert np.obj2sctype(list) is np.object_ and np.obj2sctype(1) is None and np.obj2sctype("zz", 3) == 3
assert np.issctype(np.int32) and np.issctype(np.dtype("f")) and np.issctype(int)
assert not np.issctype(list) and not np.issctype(1.1)
assert np.maximum_sctype(np.uint8) is np.uint64 and np.maximum_sctype(int) is np.int64
assert np.maximum_sctype("f4") is np.longdouble and np.maximum_sctype("str") is np.str_
assert np.sctype2char(np.float32) == "f" and np.safe_eval("[1]") == [1]
low, high = np.byte_bounds(np.arange(4, dtype="int64")[::-1])
assert high - low == 32
text = io.StringIO()
np.disp("x", text, False)
np.disp("y", text)
assert text.getvalue() == "xy\\n"
assert np.recfromcsv(io.StringIO("A,b\\n1,2.5\\n3,4")).b.tolist() == [2.5, 4]
assert np.recfromtxt(io.StringIO("1 2\\n3 4")).tolist() == [[1, 2], [3, 4]]
@np.deprecate(new_name="n", message="because")
def old(x):
    return x
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert old(3) == 3
assert str(caught[0].message) == "`old` is deprecated, use `n` instead!\\nbecause"
np.lookfor("standard deviation", output=text)
assert "numpy.std" in text.getvalue()
"""
SCIPY = """
import scipy
from scipy import exp, rand, stats
assert rand(2).shape == scipy.randn(2).shape == (2,) and exp(0) == scipy.cos(0) == 1
assert scipy.array([1]).tolist() == [1] and scipy.zeros(2).tolist() == [0, 0]
assert scipy.linalg.norm([3, 4]) == 5 and scipy.fft.fft([1]) == 1 and stats.norm.cdf(0) == 0.5
import scipy.sparse
"""
METHODS = """
import numpy as np
import mxnet as mx
x = np.arange(6.0).reshape(2, 3)
assert x.ptp() == 5 and x.ptp(axis=1).tolist() == [2, 2] and x.ptp(0, keepdims=True).shape == (1, 3)
assert mx.nd.array(x).asnumpy().ptp() == 5 and np.float64(3).ptp() == 0
x.itemset(4, 9)
x.itemset((0, 1), 7)
x.itemset(1, 2, 8.5)
x.itemset(-6, 0.5)
assert x.tolist() == [[0.5, 7, 2], [3, 9, 8.5]]
one, objects = np.array(3.0), np.empty(2, object)
one.itemset(4)
objects.itemset(0, [1, 2])
assert one == 4 and objects.tolist() == [[1, 2], None]
for wrong, error in (((), ValueError), ((1,), ValueError), ((9, 3), IndexError)):
    try:
        x.itemset(*wrong)
    except error:
        continue
    raise AssertionError(wrong)
assert np.int16([1, 2]).newbyteorder().tolist() == [256, 512] and np.int16(1).newbyteorder() == 256
assert np.int16([1]).newbyteorder("<")[0] == 1 and x.newbyteorder(">").dtype.str == ">f8"
assert x.tostring() == x.tobytes() and np.float64(1).tostring() == np.float64(1).tobytes()
class Own(np.ndarray):
    def ptp(self):
        return "own"
assert np.zeros(2).view(Own).ptp() == "own" and np.ma.array([1, 5]).ptp() == np.matrix([1, 5]).ptp() == 4
"""
MEANINGS = """
import io
import pickle
import warnings
import numpy as np
warnings.simplefilter("ignore")
for make in (np.array, np.asarray, np.asanyarray):
    ragged = make([[1, 2], [3]])
    assert ragged.dtype == object and ragged.tolist() == [[1, 2], [3]]
    assert make([[1, 2], 3], None).dtype == object and make([[[1, 2], [3]], [[1], [2]]]).shape == (2, 2)
    assert make([[1, 2], [3, 4]]).dtype == int and make([np.zeros((3, 2)), np.zeros((4, 2))]).shape == (2,)
    for refused in (lambda: make([[1, 2], [3]], dtype=float), lambda: make([[1, 2], [3]], float)):
        try:
            refused()
        except ValueError:
            continue
        raise AssertionError("a dtype that cannot hold lists")
assert np.array([[1, 2], [3]], ndmin=2).shape == (1, 2) and pickle.loads(pickle.dumps(np.array)) is np.array
x = np.arange(3)
assert np.array(x, copy=False) is x
assert np.array(x, dtype="f", copy=False).dtype == np.float32
assert np.array([1, 2], copy=False).tolist() == [1, 2] and np.array(x, copy=True) is not x
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        np.array([[1, 2], [3]])
    except np.VisibleDeprecationWarning:
        pass
    else:
        raise AssertionError("no warning")
file = io.BytesIO()
np.save(file, [np.zeros(2), np.zeros(3)])
file.seek(0)
assert [len(a) for a in np.load(file, allow_pickle=True)] == [2, 3]
for save in (np.savez, np.savez_compressed):
    file = io.BytesIO()
    save(file, [[1], [1, 2]], named=[[1], [1, 2]], plain=[1, 2])
    file.seek(0)
    loaded = np.load(file, allow_pickle=True)
    assert loaded["arr_0"].tolist() == loaded["named"].tolist() == [[1], [1, 2]]
    assert loaded["plain"].tolist() == [1, 2]
"""
LEFT_ALONE = """
import sys
import numpy as np
import gluonic
gluonic.install_as_mxnet()
import mxnet
assert not any(hasattr(np, name) for name in ("Inf", "product", "asscalar", "alltrue", "cast"))
import collections
assert not hasattr(collections, "Iterable") and not hasattr(np.ndarray, "itemset")
assert np.array.__module__ == "numpy" and not hasattr(np.array, "__wrapped__")
try:
    float(np.zeros(1))
except TypeError:
    print("refused")
"""
NUMPY_2 = pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="has the names")


_PROGRAMS = {
    "numpy": NUMPY, "python": PYTHON, "numbers": NUMBERS, "keywords": KEYWORDS, "modules": MODULES,
    "functions": FUNCTIONS, "scipy": SCIPY, "methods": METHODS, "meanings": MEANINGS,
}  # fmt: skip


@pytest.mark.parametrize("program", _PROGRAMS.values(), ids=_PROGRAMS)
def test_programs_find_the_names_of_their_time(program: str) -> None:
    found = gluonic_command("-W", "ignore", "-c", program)
    assert found.returncode == 2  # those are Python's own options
    found = command("-W", "ignore", "-m", "gluonic", "-c", program)
    assert (found.stderr, found.returncode) == ("", 0)


def test_libraries_get_them_on_request_only() -> None:
    asked = "import gluonic; gluonic.install_as_mxnet(numpy_aliases=True)\n"
    for program in _PROGRAMS.values():
        found = command("-W", "ignore", "-c", asked + program)
        assert (found.stderr, found.returncode) == ("", 0)


@NUMPY_2
def test_by_default_a_library_gets_none() -> None:
    found = command("-c", LEFT_ALONE)
    assert found.stderr == ""
    assert ("refused" in found.stdout) == (np.lib.NumpyVersion(np.__version__) >= "2.4.0")


@NUMPY_2
def test_an_option_omits_them_in_child_processes_too() -> None:
    child = "import mxnet, numpy; print(hasattr(numpy, 'Inf'))"
    program = f"import subprocess, sys; {child}; subprocess.run([sys.executable, '-c', {child!r}])"
    for options, printed in (((), "True\nTrue\n"), (("--no-numpy-aliases",), "False\nFalse\n")):
        found = command("-u", "-m", "gluonic", *options, "-c", program)
        assert (found.stderr, found.stdout) == ("", printed)


def test_existing_names_are_left_unchanged() -> None:
    program = """
import numpy as np, warnings, collections, inspect
warnings.simplefilter("ignore")
from gluonic import removed_names
names = [n for n in removed_names.NAMES["numpy"] if hasattr(np, n)]
before = {n: getattr(np, n) for n in names}
removed_names.restore()
removed_names.restore()
assert all(getattr(np, n) is before[n] for n in names)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
