"""The files of drawings: names from graphs stay in the folder; names from the user are the user's."""

import json
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import nd, sym
from gluonic.codegen import Program
from gluonic.graph import Run
from gluonic.graph.files import file_name
from gluonic.graph.random_source import RandomSource

NAMES = [
    "{folder}/x",
    "../../x",
    "..",
    ".",
    "stage1/unit1/conv",
    "n" * 300,
    "层" * 200,
    "a\0b",
    "a\nb",
    ":*?",
]


def _loaded(name: str) -> Any:
    """A symbol from a file whose output has a name."""
    content = json.loads(sym.relu(sym.var("x"), name="y").tojson())
    for node in content["nodes"]:
        if node["name"] == "y":
            node["name"] = name
    return mx.sym.load_json(json.dumps(content))


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_an_output_is_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "a" / "b"
    outside.mkdir()
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    name = name.format(folder=outside)
    drawing = _loaded(name).plot()
    written = [Path(drawing.render(format=kind)) for kind in ("html", "svg")]
    written += [Path(drawing.save()), Path(drawing.render(directory="."))]
    assert {path.resolve().parent for path in written} == {inside}
    assert not [*outside.iterdir()]
    assert {path.name for path in tmp_path.iterdir()} == {"outside", "a"}


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_errors_and_dumps_of_code_stay_in_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = name.format(folder=tmp_path / "outside")
    with pytest.raises(mx.MXNetError) as caught:
        (_loaded(name) + sym.ones((2, 3))).infer_shape(x=(4, 5))
    picture: Any = caught.value
    assert Path(picture.picture().render()).resolve().parent == tmp_path
    monkeypatch.setenv("GLUONIC_DUMP", str(tmp_path / "dump"))
    graph = _loaded(name).graph()
    Program(graph, graph.variables, at_once=True)(
        [nd.ones((3,)).asnumpy()], Run(False, RandomSource(0))
    )
    assert {path.is_dir() for path in tmp_path.iterdir()} == {True, False}
    assert not (tmp_path / "outside").exists()
    assert len([*(tmp_path / "dump").iterdir()]) == 6


def test_names_without_special_characters_stay_as_they_are() -> None:
    assert file_name("resnetv1_conv0-fwd.1") == "resnetv1_conv0-fwd.1"
    assert file_name("层1") == "层1"


def test_a_file_name_and_a_title_of_the_user_are_paths(tmp_path: Path) -> None:
    symbol = _loaded("y")
    (tmp_path / "pictures").mkdir()
    path = str(tmp_path / "pictures" / "net")
    assert symbol.plot().render(path) == f"{path}.html"
    assert mx.viz.plot_network(symbol, title=path).render() == f"{path}.gv.html"
