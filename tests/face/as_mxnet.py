"""A pytest plugin: the tests run where gluonic is served as mxnet.

python -m pytest -n auto -p tests.face.as_mxnet tests/gluon tests/beside
"""

import gluonic


def pytest_configure() -> None:
    """Serve it, before any test is collected."""
    gluonic.install_as_mxnet()
