"""Fixtures for tests that load libraries; a test's registrations are undone after it."""

import os
from collections.abc import Iterator

import pytest

import gluonic as mx
from gluonic.graph.backends import BACKENDS
from gluonic.graph.namespaces import Functions
from gluonic.graph.operator import REGISTRY
from gluonic.graph.storage.forms import FORMS
from gluonic.ndarray.invoke import EAGER
from tests.extension.building import Builder


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """The compiler; a test that asks for it is skipped where there is none."""
    folder = tmp_path_factory.mktemp("libraries")
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return Builder(folder, folder)
    common = tmp_path_factory.getbasetemp().parent / "libraries"
    common.mkdir(exist_ok=True)
    return Builder(folder, common)


@pytest.fixture
def probe(build: Builder) -> None:
    """The operators of ``libraries/probe.cc``."""
    mx.library.load(build("probe"), verbose=False)


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Put the registries back as they were."""
    operators, backends = dict(REGISTRY.by_name), dict(BACKENDS.by_name)
    forms = dict(FORMS)
    yield
    changed = [name for name, op in REGISTRY.items() if operators.get(name) is not op]
    REGISTRY.by_name = operators
    BACKENDS.by_name = backends
    FORMS.clear()
    FORMS.update(forms)
    for name in changed:
        Functions.renew(name)
        vars(EAGER).pop(name, None)
