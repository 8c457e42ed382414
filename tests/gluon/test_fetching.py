"""Files that are fetched: from a server on this machine and from folders, models and data sets among them."""

import gzip
import hashlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.gluon import utils
from gluonic.gluon.data.published import PUBLISHED
from gluonic.gluon.data.vision import MNIST
from gluonic.gluon.model_zoo import model_store, vision
from gluonic.graph.errors import FileFormatError
from tests.gluon.repositories import Repository, repository

HELLO = hashlib.sha1(b"hello").hexdigest()


@pytest.fixture
def server() -> Iterator[Repository]:
    with repository() as running:
        yield running


def test_a_file_is_fetched_after_some_failures(tmp_path: Path, server: Repository) -> None:
    server.files["/data.bin"], server.failures = b"hello", 2
    utils.download(f"{server.address}/data.bin", str(tmp_path), sha1_hash=HELLO)
    assert (tmp_path / "data.bin").read_text() == "hello"
    assert len(server.asked) == 3


def test_a_file_that_cannot_be_fetched_is_named_with_the_reason(
    tmp_path: Path, server: Repository
) -> None:
    with pytest.raises(mx.MXNetError, match=r"127\.0\.0\.1:\d+/data\.bin: answers 404"):
        utils.download(f"{server.address}/data.bin", str(tmp_path), retries=1)
    assert len(server.asked) == 2
    with pytest.raises(mx.MXNetError, match=r"nowhere\.invalid/data\.bin: "):
        utils.download("http://nowhere.invalid/data.bin", str(tmp_path), retries=0)
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_another_digest_is_not_kept(tmp_path: Path, server: Repository) -> None:
    server.files["/data.bin"] = b"something else"
    with pytest.raises(FileFormatError, match="digest"):
        utils.download(f"{server.address}/data.bin", str(tmp_path), sha1_hash=HELLO)
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_imports_requests_has_its_get_called(
    tmp_path: Path, server: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, bool]]] = []

    class Answer:
        status_code, reason, headers = 200, "OK", None

        def iter_content(self, size: int) -> list[bytes]:
            return [b"hel", b"lo"]

    class Refusal(Answer):
        status_code, reason = 404, "Not Found"

    answers: list[Answer | OSError] = [OSError("no connection"), Answer(), Refusal()]

    def get(url: str, **options: bool) -> Answer:
        asked.append((url, options))
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setitem(sys.modules, "requests", SimpleNamespace(get=get))
    url = f"{server.address}/data.bin"
    utils.download(url, str(tmp_path / "a"), sha1_hash=HELLO)
    with pytest.raises(mx.MXNetError, match="answers 404"):
        utils.download(url, str(tmp_path / "b"), retries=0)
    assert asked == [(url, {"stream": True, "verify": True})] * 3
    assert server.asked == []


def packed(name: str, content: bytes) -> bytes:
    """An archive with one file, as MXNet publishes models."""
    archive = io.BytesIO()
    with ZipFile(archive, "w") as files:
        files.writestr(name, content)
    return archive.getvalue()


@pytest.mark.parametrize("over_http", [True, False])
def test_pretrained_parameters_come_from_the_repository_that_a_variable_names(
    tmp_path: Path, server: Repository, monkeypatch: pytest.MonkeyPatch, over_http: bool
) -> None:
    trained = vision.get_model("mobilenetv2_0.25", classes=3)
    trained.initialize()
    image = nd.random.uniform(shape=(1, 3, 32, 32))
    expected = trained(image)
    trained.save_parameters(str(tmp_path / "trained"))
    content = (tmp_path / "trained").read_bytes()
    digest = hashlib.sha1(content).hexdigest()
    monkeypatch.setitem(model_store._model_sha1, "mobilenetv2_0.25", digest)
    file = f"mobilenetv2_0.25-{digest[:8]}"
    archive = packed(f"{file}.params", content)
    if over_http:
        server.files[f"/gluon/models/{file}.zip"] = archive
        monkeypatch.setenv("MXNET_GLUON_REPO", server.address)
    else:
        (tmp_path / "gluon" / "models").mkdir(parents=True)
        (tmp_path / "gluon" / "models" / f"{file}.zip").write_bytes(archive)
        monkeypatch.setenv("MXNET_GLUON_REPO", tmp_path.as_uri())
    root = tmp_path / "models"
    for _ in range(2):
        net = vision.get_model("mobilenetv2_0.25", classes=3, pretrained=True, root=str(root))
        assert (net(image).asnumpy() == expected.asnumpy()).all()
    assert [p.name for p in root.iterdir()] == [f"{file}.params"]
    assert len(server.asked) == int(over_http)  # the second time it is there


@pytest.mark.parametrize(
    ("inside", "content", "reason"),
    [
        ("alexnet-{}.params", b"another model", "digest"),
        ("other.params", b"hello", "holds no alexnet"),
        (None, b"no archive", "holds no alexnet"),
    ],
)
def test_a_model_with_another_digest_is_refused_and_leaves_no_file(
    tmp_path: Path, server: Repository, monkeypatch: pytest.MonkeyPatch, inside: str | None, content: bytes,
    reason: str,
) -> None:  # fmt: skip
    short = model_store.short_hash("alexnet")
    archive = content if inside is None else packed(inside.format(short), content)
    server.files[f"/gluon/models/alexnet-{short}.zip"] = archive
    monkeypatch.setenv("MXNET_GLUON_REPO", f"{server.address}/")
    with pytest.raises(FileFormatError, match=reason):
        model_store.get_model_file("alexnet", str(tmp_path / "models"))
    assert not list((tmp_path / "models").iterdir())


def test_nothing_is_fetched_unless_the_environment_variable_names_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    with pytest.raises(mx.MXNetError, match="MXNET_GLUON_REPO say where to fetch it"):
        model_store.get_model_file("alexnet", str(tmp_path))
    with pytest.raises(mx.MXNetError, match="MXNET_GLUON_REPO say where to fetch it"):
        MNIST(str(tmp_path))


def test_a_model_without_a_known_digest_is_not_fetched(
    tmp_path: Path, server: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", server.address)
    with pytest.raises(ValueError, match="digest of the model 'my_model' is not known"):
        model_store.get_model_file("my_model", str(tmp_path))
    assert not server.asked


def idx(*shape: int) -> bytes:
    """A file of zeros in MNIST's format, compressed."""
    sizes = b"".join(n.to_bytes(4, "big") for n in shape)
    header = bytes([0, 0, 8, len(shape)]) + sizes
    return gzip.compress(header + bytes(int(nd.array(shape).prod().asscalar())))


def test_data_sets_come_from_the_repository_that_a_variable_names(
    tmp_path: Path, server: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"t10k-images-idx3-ubyte.gz": idx(5, 28, 28), "t10k-labels-idx1-ubyte.gz": idx(5)}
    for name, content in files.items():
        server.files[f"/gluon/dataset/fashion-mnist/{name}"] = content
        monkeypatch.setitem(PUBLISHED["fashion-mnist"], name, hashlib.sha1(content).hexdigest())
    monkeypatch.setenv("MXNET_GLUON_REPO", server.address)
    for _ in range(2):
        found = gluon.data.vision.FashionMNIST(str(tmp_path / "fashion"), train=False)
        assert (len(found), found[0][0].shape) == (5, (28, 28, 1))
    assert len(server.asked) == 2
    server.files["/gluon/dataset/mnist/train-images-idx3-ubyte.gz"] = idx(5, 28, 28)
    with pytest.raises(FileFormatError, match="digest"):
        MNIST(str(tmp_path / "mnist"))


@pytest.mark.parametrize(
    "scheme", ["data:,hello", "ftp://127.0.0.1/data.bin", "gopher://127.0.0.1/"]
)
def test_other_addresses_are_refused(tmp_path: Path, scheme: str) -> None:
    with pytest.raises(mx.MXNetError, match=r"is no http://, https:// or file:// address"):
        utils.download(scheme, str(tmp_path / "data.bin"))
    assert not [*tmp_path.iterdir()]
