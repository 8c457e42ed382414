"""What packages have removed since MXNet's time, and the versions that still have it.

A place is ``util.testing`` (a name or a module of the package), ``read_csv(squeeze)`` (a keyword),
``load(!Loader)`` (a call without that keyword), ``.iteritems`` (an attribute of an object of unknown
type) or ``.append(ignore_index)`` (a keyword of such a method). The text behind a place is what does the
same in newer versions.
"""

from collections.abc import Mapping
from dataclasses import field

from gluonic.support.record import record


@record
class Package:
    """A package of the index that programs install.

    Attributes
    ----------
    name : its name in the index
    first : the first version for the oldest Python that gluonic supports, 3.11
    with_numpy_2 : the first version that runs with NumPy 2; None if all do
    newest_python : for the first version without something, the newest Python that its predecessors support
    removed : what it has removed, by the first version without it, with what does the same
    """

    name: str
    first: str = "0"
    with_numpy_2: str | None = None
    newest_python: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def _same(text: str, instead: str = "") -> dict[str, str]:
    """Places, separated by spaces, that have one substitute."""
    return dict.fromkeys(text.split(), instead)


PYTHON = Package(
    "Python",
    first="3.11",
    removed={
        "3.0": {
            **_same(
                "cPickle cStringIO StringIO Queue urllib2 urlparse ConfigParser commands", "2to3"
            ),
            **_same("xrange raw_input unicode basestring unichr reduce execfile long cmp", "2to3"),
            **_same(".has_key .iterkeys .itervalues", "2to3"),
        },
        "3.8": _same("platform.linux_distribution cgi.escape", "html.escape, the package distro"),
        "3.9": {
            **_same("json.loads(encoding) json.load(encoding)", "leave the keyword out"),
            **_same(".isAlive", "is_alive"),
        },
        "3.10": _same("formatter parser symbol"),
        "3.11": _same("binhex asyncio.coroutine"),
        "3.12": {
            **_same("imp", "importlib"),
            **_same("distutils numpy.distutils", "setuptools"),
            **_same("asyncore asynchat smtpd configparser.SafeConfigParser locale.format"),
            **_same(".assertEquals .assertItemsEqual", "assertEqual, assertCountEqual"),
        },
        "3.13": _same(
            "aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap nntplib pipes sndhdr sunau "
            "telnetlib unittest.makeSuite uu xdrlib"
        ),
    },
)
"""The interpreter and its library."""

PACKAGES: dict[str, Package] = {
    "numpy": Package("numpy", "1.23.2", newest_python={"2.0": "3.12"}),
    "pandas": Package(
        "pandas",
        "1.5.1",
        with_numpy_2="2.2.2",
        newest_python={"2.0": "3.11", "3.0": "3.14"},
        removed={
            "1.0": {
                **_same(".ix", "loc, iloc"),
                **_same(".as_matrix", "to_numpy"),
                **_same(".get_value .set_value", "at, iat"),
                **_same("DataFrame.from_csv Series.from_csv", "read_csv"),
                **_same("Panel TimeGrouper rolling_mean rolling_std ewma"),
                **_same(".convert_objects .get_dtype_counts .reindex_axis"),
            },
            "2.0": {
                **_same(".iteritems", "items"),
                **_same(".append(ignore_index) .append(verify_integrity)", "concat"),
                **_same("Int64Index UInt64Index Float64Index", "Index"),
                **_same("datetime np", "import datetime, numpy"),
                **_same("util.testing", "testing"),
                **_same(".is_monotonic", "is_monotonic_increasing"),
                **_same(".weekofyear", "isocalendar().week"),
                **_same("read_csv(error_bad_lines) read_csv(warn_bad_lines)", "on_bad_lines"),
                **_same("read_csv(squeeze) read_csv(prefix) read_csv(mangle_dupe_cols)"),
                **_same(".to_csv(line_terminator)", "lineterminator"),
                **_same("date_range(closed)", "inclusive"),
                **_same("Timestamp(freq)", "leave it out"),
                **_same(".set_axis(inplace) .tshift .slice_shift .is_all_dates"),
                **_same(
                    ".sum(level) .mean(level) .max(level) .min(level) .count(level)",
                    "groupby(level=)",
                ),
            },
            "3.0": {
                **_same(".applymap", "map"),
                **_same(".fillna(method)", "ffill, bfill"),
                **_same("value_counts", "Series.value_counts"),
            },
        },
    ),
    "networkx": Package(
        "networkx",
        "2.8.8",
        removed={
            "2.0": _same(".nodes_iter .edges_iter .neighbors_iter .degree_iter", "nodes, edges, …"),
            "2.4": {
                **_same(".node", "nodes"),
                **_same("connected_component_subgraphs", "G.subgraph of connected_components"),
                **_same(
                    "weakly_connected_component_subgraphs strongly_connected_component_subgraphs"
                ),
            },
            "3.0": {
                **_same("from_numpy_matrix to_numpy_matrix", "from_numpy_array, to_numpy_array"),
                **_same("from_scipy_sparse_matrix to_scipy_sparse_matrix", "…_scipy_sparse_array"),
                **_same("write_gpickle read_gpickle", "pickle"),
                **_same(
                    "OrderedGraph OrderedDiGraph OrderedMultiGraph OrderedMultiDiGraph", "Graph, …"
                ),
                **_same("info read_yaml write_yaml read_shp write_shp adj_matrix"),
            },
            "3.4": _same("random_tree", "random_labeled_tree"),
        },
    ),
    "scipy": Package(
        "scipy",
        "1.9.3",
        with_numpy_2="1.13",
        newest_python={"1.12": "3.12", "1.13": "3.12", "1.14": "3.12"},
        removed={
            "1.3": {
                **_same(
                    "misc.imread misc.imsave misc.imresize misc.imrotate misc.imshow misc.toimage "
                    "misc.fromimage misc.bytescale",
                    "imageio, Pillow, cv2",
                ),
                **_same("misc.logsumexp misc.comb misc.factorial", "scipy.special"),
            },
            "1.9": _same("linalg.pinv2", "linalg.pinv"),
            "1.12": {
                **_same("misc.face misc.ascent misc.electrocardiogram", "scipy.datasets"),
                **_same("misc.derivative misc.central_diff_weights"),
                **_same("stats.binom_test", "stats.binomtest"),
            },
            "1.13": {
                **_same(
                    "signal.hann signal.hamming signal.gaussian signal.blackman "
                    "signal.bartlett signal.kaiser signal.boxcar signal.triang",
                    "scipy.signal.windows",
                ),
                **_same("linalg.tri linalg.tril linalg.triu", "numpy"),
            },
            "1.14": {
                **_same("integrate.simps", "integrate.simpson"),
                **_same("integrate.trapz integrate.cumtrapz", "trapezoid, cumulative_trapezoid"),
                **_same("interpolate.interp2d()", "RegularGridInterpolator, RectBivariateSpline"),
                **_same("sparse.linalg.cg(tol) sparse.linalg.gmres(tol)", "rtol"),
            },
        },
    ),
    "sklearn": Package(
        "scikit-learn",
        "1.1.3",
        with_numpy_2="1.4.2",
        newest_python={"1.2": "3.11", "1.4": "3.12"},
        removed={
            "0.20": {
                **_same("cross_validation grid_search learning_curve", "sklearn.model_selection"),
                **_same("mixture.GMM", "mixture.GaussianMixture"),
            },
            "0.22": _same("preprocessing.Imputer", "impute.SimpleImputer"),
            "0.23": {
                **_same("externals.joblib", "import joblib"),
                **_same("externals.six", "import six"),
                **_same("utils.linear_assignment_", "scipy.optimize.linear_sum_assignment"),
            },
            "0.24": _same("utils.testing metrics.scorer"),
            "1.2": {
                **_same("datasets.load_boston", "another data set"),
                **_same(
                    "metrics.plot_confusion_matrix metrics.plot_roc_curve metrics.plot_precision_recall_curve",
                    "…Display.from_estimator",
                ),
                **_same(".get_feature_names", "get_feature_names_out"),
            },
            "1.4": {
                **_same("preprocessing.OneHotEncoder(sparse)", "sparse_output"),
                **_same("cluster.AgglomerativeClustering(affinity)", "metric"),
            },
            "1.6": _same("metrics.mean_squared_error(squared)", "root_mean_squared_error"),
        },
    ),
    "matplotlib": Package(
        "matplotlib",
        "3.6",
        with_numpy_2="3.9",
        newest_python={"3.8": "3.11", "3.9": "3.12"},
        removed={
            "3.1": _same("pyplot.hist(normed) .hist(normed)", "density"),
            "3.6": _same("finance .set_window_title"),
            "3.8": _same(
                "pyplot.stem(use_line_collection) .stem(use_line_collection)", "leave it out"
            ),
            "3.9": _same("cm.get_cmap cm.register_cmap", "matplotlib.colormaps"),
            "3.10": _same(".tostring_rgb", "buffer_rgba"),
        },
    ),
    "PIL": Package(
        "pillow",
        "9.3",
        newest_python={"10.0": "3.11"},
        removed={
            "10.0": {
                **_same("Image.ANTIALIAS", "Image.LANCZOS"),
                **_same(".textsize", "textbbox"),
            }
        },
    ),
    "skimage": Package(
        "scikit-image",
        "0.20",
        with_numpy_2="0.23",
        removed={
            "0.18": _same(
                "measure.compare_ssim measure.compare_psnr measure.compare_mse measure.compare_nrmse",
                "skimage.metrics",
            )
        },
    ),
    "cv2": Package(
        "opencv-python-headless",
        with_numpy_2="4.10",
        removed={
            "3.0": _same(
                "cv CV_AA CV_LOAD_IMAGE_COLOR CV_LOAD_IMAGE_GRAYSCALE", "LINE_AA, IMREAD_…"
            )
        },
    ),
    "yaml": Package("pyyaml", "6.0", removed={"6.0": _same("load(!Loader)", "yaml.safe_load")}),
    "google.protobuf": Package(
        "protobuf", "3.19", removed={"4.0": _same("descriptor.FieldDescriptor()", "protoc of now")}
    ),
    "librosa": Package(
        "librosa", "0.10", removed={"0.8": _same("output.write_wav", "soundfile.write")}
    ),
    "tensorflow": Package(
        "tensorflow",
        "2.12",
        removed={
            "2.0": _same(
                "Session placeholder ConfigProto global_variables_initializer get_variable contrib gfile "
                "flags app Summary",
                "tensorflow.compat.v1",
            )
        },
    ),
}
"""Packages by the name of the module that a program imports."""

INDEX_NAMES = {
    "attr": "attrs", "bs4": "beautifulsoup4", "dateutil": "python-dateutil", "git": "gitpython",
    "google": "protobuf", "h5py": "h5py", "nose": "pynose", "serial": "pyserial", "zmq": "pyzmq",
}  # fmt: skip
"""The names in the index of other modules, where they differ."""
