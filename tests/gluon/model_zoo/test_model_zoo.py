"""The networks of the model zoo are MXNet's: names, shapes, graphs, files and scores."""

from pathlib import Path

import pytest

import gluonic as mx
from gluonic import nd
from gluonic.gluon.fetching import sha1_of
from gluonic.gluon.model_zoo import model_store, vision
from gluonic.graph.errors import FileFormatError
from tests.measured import models
from tests.measured.measure import agrees, numbers, read

MEASURED = read("models")


@pytest.mark.parametrize("name", models.NAMES)
def test_a_network_has_mxnets_graph_and_parameters(name: str) -> None:
    assert models.describe(mx, name) == MEASURED[name]


def test_every_network_is_measured() -> None:
    assert set(models.NAMES) == set(vision.FUNCTIONS)


@pytest.mark.parametrize("name", models.RUNS)
def test_a_network_gives_mxnets_scores(name: str) -> None:
    size, settings = models.RUNS[name]
    net, image = models.run(mx, name, size, **settings)
    measured = MEASURED[f"{name} scores"]
    assert agrees(numbers(net(image)), measured, 1e-3)
    net.hybridize()
    assert agrees(numbers(net(image)), measured, 1e-3)


def test_pretrained_parameters_come_from_a_file_here(tmp_path: Path) -> None:
    image = nd.random.normal(shape=(1, 3, 32, 32))
    net = vision.mobilenet0_25(classes=3)
    net.initialize()
    scores = net(image)
    net.save_parameters(str(tmp_path / "mobilenet0.25.params"))
    loaded = vision.get_model("MobileNet0.25", classes=3, pretrained=True, root=str(tmp_path))
    assert agrees(numbers(loaded(image)), numbers(scores))


def test_the_digest_in_a_files_name_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "content"
    file.write_bytes(b"parameters")
    good = tmp_path / f"alexnet-{sha1_of(str(file))[:8]}.params"
    file.rename(good)
    assert model_store.get_model_file("alexnet", str(tmp_path)) == str(good)
    good.write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match="digest"):
        model_store.get_model_file("alexnet", str(tmp_path))


def test_without_a_file_nothing_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    with pytest.raises(mx.MXNetError, match=r"models/resnet18_v1\.params[\s\S]*put the file there"):
        vision.resnet18_v1(pretrained=True)


def test_purging_deletes_parameters_only(tmp_path: Path) -> None:
    for name in ("a.params", "b.txt"):
        (tmp_path / name).touch()
    model_store.purge(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: vision.get_model("resnet19_v1"),
        lambda: vision.get_resnet(3, 18),
        lambda: vision.get_resnet(1, 19),
        lambda: vision.get_vgg(12),
        lambda: vision.get_densenet(100),
        lambda: vision.get_squeezenet("2.0"),
        lambda: vision.VGG([1, 2], [64]),
        lambda: vision.ResNetV1(vision.BasicBlockV1, [1], [64]),
    ],
)
def test_unknown_networks_are_refused(misuse: object) -> None:
    with pytest.raises(ValueError, match=r"there is no|there are|need"):
        misuse()  # type: ignore[operator]


def test_the_second_head_of_inception_classifies_features_of_its_middle() -> None:
    head = vision.inception.make_aux(7)
    head.initialize()
    assert head(mx.nd.ones((2, 768, 17, 17))).shape == (2, 7)
    assert [len(p.data()) for p in head.collect_params(".*weight").values()] == [128, 768, 7]
