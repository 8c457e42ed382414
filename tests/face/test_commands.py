"""``gluonic summary`` and ``gluonic view``, and files that are no programs."""

import io
import os
import re
import tempfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

import gluonic as mx
from gluonic.__main__ import main
from gluonic.commands.table import COMMANDS
from gluonic.tools.file_kinds import why_no_program
from tests.face.commands import gluonic_command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an exported net, where a command runs."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(4, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(10))
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((1, 3, 8, 8)))
    net.export(str(tmp_path / "net"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(text: str) -> dict[str, list[str]]:
    """The fields of a table's rows, by the first one."""
    return {fields[0]: fields[1:] for line in text.splitlines() if (fields := line.split())}


# ------------------------------------------------------------------------------ files that are no programs


def test_data_files_are_not_run_and_commands_for_them_are_named(folder: Path) -> None:
    for file, commands in {
        "net-symbol.json": ("summary", "view"),
        "net-0000.params": ("summary",),
    }.items():
        found = gluonic_command(file, folder=folder)
        assert (found.returncode, found.stdout) == (2, "")
        assert f"{file} holds" in found.stderr
        assert all(f"gluonic {command} {file}" in found.stderr for command in commands)


def _archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights.txt", "")


@pytest.mark.parametrize(
    ("name", "contents", "what"),
    [
        ("damaged.json", b"[1, 2", "JSON"),
        ("net", b'{"nodes": []}', "a network"),
        ("renamed", (0x112).to_bytes(8, "little"), "parameters"),
        ("train.rec", (0xCED7230A).to_bytes(4, "little"), "records"),
        ("cat.png", b"\x89PNG\r\n\x1a\n", "a picture"),
        ("x.npy", b"\x93NUMPY\1\0", "NumPy arrays"),
        ("x.zip", None, "an archive"),
        ("trainer", b"\0\1\2", "binary data"),
        ("train.lst", b"1\t2\ta.jpg\n", "data"),
    ],
)
def test_a_file_is_known_by_its_contents_and_its_name(
    name: str, contents: bytes | None, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if contents is None:
        _archive(path)
    else:
        path.write_bytes(contents)
    with pytest.raises(SystemExit) as ended:
        main([str(path)])
    assert ended.value.code == 2
    assert f"{path} holds {what}" in capsys.readouterr().err


def test_programs_without_a_suffix_or_compiled_ones_are_run(tmp_path: Path) -> None:
    (tmp_path / "view").write_text("import py_compile\npy_compile.compile('a.py', 'a.pyc')\n")
    (tmp_path / "a.py").write_text("import mxnet, sys; print(mxnet.__name__, __file__, sys.argv)\n")
    assert gluonic_command("./view", folder=tmp_path).returncode == 0
    found = gluonic_command("a.pyc", "-x", folder=tmp_path)
    assert found.stdout == f"mxnet {tmp_path / 'a.pyc'} ['a.pyc', '-x']\n"
    (tmp_path / "a.pyc").write_bytes(b"nothing")
    found = gluonic_command("a.pyc", folder=tmp_path)
    assert "a.pyc: " in found.stderr
    assert "Traceback" not in found.stderr


def test_a_syntax_error_is_reported_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n")
    found = gluonic_command("bad.py", folder=tmp_path)
    assert found.returncode == 1
    assert found.stderr.startswith(f'  File "{tmp_path / "bad.py"}", line 1\n')
    assert found.stderr.endswith("SyntaxError: invalid syntax\n")


# ------------------------------------------------------------------------------ commands


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_describes_itself_and_is_listed(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / command).write_text("raise AssertionError('a file of that name is no command')")
    for arguments in ([command, "--help"], ["--help"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 0
    own, listed = capsys.readouterr().out.split("usage: ")[1:]
    assert f"gluonic {command} [" in own
    assert re.search(rf"^  {command} +\w", listed, re.MULTILINE)
    assert "./view" in listed


def test_a_misspelt_command_is_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sumary", "net.json"])
    assert "there is no file sumary; did you mean 'summary'?" in capsys.readouterr().err


def test_a_network_is_summarized_with_the_parameters_beside_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summary", "net-symbol.json", "--shape", "data=2,3,8,8"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert rows["net_conv0_fwd(Convolution)"][:2] == ["4x6x6", "112"]
    assert rows["net_dense0_fwd(FullyConnected)"][:2] == ["10", "1450"]
    assert rows["Total"][0] == "FLOPs:"
    assert "Output" not in rows  # the shape of the data is known


def test_a_summary_without_shapes_counts_parameters_and_tells_what_to_add(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summary", "net-symbol.json"]) == 0
    text = capsys.readouterr().out
    assert "Total params: 1570\n" in text
    assert "summary net-symbol.json --shape data=1," in text.splitlines()[-1]
    (folder / "net-0000.params").unlink()
    assert main(["summary", "net-symbol.json"]) == 0
    assert "Not counted" in capsys.readouterr().out


def test_parameters_are_listed_with_shapes_types_and_sizes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summary", "net-0000.params"]) == 0
    text = capsys.readouterr().out
    rows = rows_of(text)
    assert rows["arg:net_conv0_weight"] == ["4x3x3x3", "float32", "108", "432"]
    assert rows["aux:net_batchnorm0_running_mean"] == ["4", "float32", "4", "16"]
    assert "parameters (arg:): 6 arrays, 1,570 elements, 6,280 bytes\n" in text
    assert "auxiliary states (aux:): 2 arrays, 8 elements, 32 bytes\n" in text
    assert "in all: 8 arrays, 1,578 elements, 6,312 bytes\n" in text


def test_sparse_and_nameless_arrays_are_listed_with_what_they_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = mx.nd.sparse.row_sparse_array(([[1, 2]], [1]), shape=(4, 2))
    matrix = mx.nd.sparse.csr_matrix(([1.0], [1], [0, 1, 1]), shape=(2, 3))
    mx.nd.save(str(tmp_path / "x.params"), [rows, matrix, mx.nd.ones((2,), dtype="int32")])
    assert main(["summary", str(tmp_path / "x.params")]) == 0
    found = rows_of(capsys.readouterr().out)
    assert found["arr_0"] == ["4x2", "float32", "row_sparse", "2", "16"]
    assert found["arr_1"] == ["2x3", "float32", "csr", "1", "36"]
    assert found["arr_2"] == ["2", "int32", "2", "8"]


@pytest.mark.parametrize("command", ["summary", "view"])
def test_a_failing_command_says_why_and_cites_no_line(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad-symbol.json").write_text('{"nodes": [')
    (folder / "bad.params").write_bytes((folder / "net-0000.params").read_bytes()[:100])
    output = ["--no-open", "--output", "net.html"] if command == "view" else []
    for arguments, said in {
        ("bad-symbol.json",): "bad-symbol.json",
        ("net-symbol.json", "--params", "bad.params"): "bad.params",
        ("net-symbol.json", "--shape", "dada=1,2"): "no argument 'dada'; did you mean 'data'",
        ("net-symbol.json", "--shape", "data=1,2,8,8"): "Convolution",
        ("none.json",): "none.json",
    }.items():
        assert main([command, *arguments, *output]) == 1
        told = capsys.readouterr().err
        assert said in told
        assert 'File "' not in told


# ------------------------------------------------------------------------------ view


def test_view_shows_a_page_and_leaves_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "temporary"))
    before = sorted(os.listdir(folder))
    pages: list[str] = []

    def open_browser(address: str) -> bool:
        with urllib.request.urlopen(address) as answer:
            pages.append(answer.read().decode())
        return True

    monkeypatch.setattr("webbrowser.open", open_browser)
    assert main(["view", "net-symbol.json", "--shape", "data=1,3,8,8"]) == 0
    assert "<title>net</title>" in pages[0]
    assert '"shapes":[[1,10]]' in pages[0]
    assert sorted(os.listdir(folder)) == before
    assert os.listdir(folder / "temporary") == []
    assert "--output" in capsys.readouterr().out


def test_the_page_is_sent_only_to_who_knows_its_address(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guess(address: str) -> bool:
        with pytest.raises(urllib.request.HTTPError, match="404"):
            urllib.request.urlopen(address[: address.rindex(":") + 6])
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
        return True

    monkeypatch.setattr("webbrowser.open", guess)
    assert main(["view", "net-symbol.json"]) == 0


def test_view_without_a_browser_names_the_option_that_writes_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert main(["view", "net-symbol.json"]) == 2
    assert "--output FILE.html" in capsys.readouterr().err
    assert main(["view", "net-symbol.json", "--no-open"]) == 2
    assert "--output FILE" in capsys.readouterr().err


def test_view_names_what_works_for_parameters_and_unknown_formats(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", "net-0000.params"]) == 2
    told = capsys.readouterr().err
    assert "Try: net-symbol.json" in told
    assert "summary net-0000.params" in told
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert main(["view", "net-symbol.json", "--output", "net.jpg"]) == 2
    told = capsys.readouterr().err
    assert "net.jpg needs Graphviz" in told
    assert ".svg" in told
    assert not (folder / "net.jpg").exists()


@pytest.mark.parametrize("begin", range(4, 60, 3))
def test_a_damaged_archive_is_no_program(tmp_path: Path, begin: int) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("é", "")
    data = bytearray(written.getvalue())
    place = data.index(b"PK\1\2") + begin
    for byte in (0, 0xEE, 0xFF):
        data[place] = byte
        (tmp_path / "damaged").write_bytes(data)
        assert why_no_program(tmp_path / "damaged")
