"""``gluonic serve``: predictions over HTTP, in batches, for many clients, slow ones and wrong requests."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from tests.commands.conftest import Line
from tests.face.commands import HOME

pytest.importorskip("uvicorn")
OUTPUT = "net_dense0_fwd_output"


class Server:
    """A server that runs, at a port."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
        """The status and the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers["content-type"] == "application/json"
            return answer.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def infer(self, data: np.ndarray, model: str = "net", **more: Any) -> tuple[int, Any]:
        """The answer to a request for predictions."""
        tensor = {"name": "data", "shape": data.shape, "datatype": "FP32", "data": data.tolist()}
        body = json.dumps({"inputs": [tensor], **more}).encode()
        return self.ask("POST", f"/v2/models/{model}/infer", body)


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[Server]:
    """Run a server in a process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gluonic", "serve", *arguments, "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": HOME},
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.fullmatch(r"serving .* at http://127\.0\.0\.1:(\d+)/v2\n", said)
        assert found, said
        yield Server(int(found[1]))
    finally:
        process.terminate()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


def predictor(folder: Path) -> Callable[[np.ndarray], np.ndarray]:
    """What the model in the folder computes."""
    files = str(folder / "net-symbol.json"), ["data"], str(folder / "net-0000.params")
    block = mx.gluon.SymbolBlock.imports(*files)
    return lambda data: block(mx.nd.array(data)).asnumpy()


def test_sixty_four_clients_are_answered_in_batches(folder: Path) -> None:
    random = np.random.RandomState(1)
    requests = [random.rand(1 + i % 3, 3, 8, 8).astype("float32") for i in range(256)]
    predicted = predictor(folder)
    arguments = ["--delay", "20", "--shape", "data=1,3,8,8"]
    with serving(folder, "net-symbol.json", *arguments) as server:
        with ThreadPoolExecutor(64) as clients:
            answers = [*clients.map(server.infer, requests)]
        metrics = server.ask("GET", "/metrics")[1]
    for data, (status, answer) in zip(requests, answers, strict=True):
        assert status == 200
        (output,) = answer["outputs"]
        assert (output["name"], output["shape"]) == (OUTPUT, [len(data), 10])
        values = np.reshape(output["data"], output["shape"])
        assert np.allclose(values, predicted(data), rtol=1e-4, atol=1e-5)
    counts = dict(re.findall(r'^(\w+)\{model="net".*\} (\S+)$', metrics, re.MULTILINE))
    assert counts["gluonic_requests_total"] == "256"
    assert float(counts["gluonic_rows_total"]) == sum(map(len, requests))
    assert float(counts["gluonic_batches_total"]) < 128
    assert counts["gluonic_waiting"] == "0"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two models and narrow limits."""
    folder = tmp_path_factory.mktemp("served")
    net = mx.gluon.nn.Dense(2, in_units=3, prefix="net_dense0_")
    net.initialize(mx.init.One())
    net.hybridize()
    net(mx.nd.ones((1, 3)))
    net.export(str(folder / "net"))
    total = mx.sym.sum(mx.sym.var("data"), name="total")
    total.save(str(folder / "total-symbol.json"))
    limits = [
        "--shape",
        "data=1,3",
        "--most-bytes",
        "20000",
        "--batch",
        "8",
        "--patience",
        "1",
        "--queue",
        "2000",
    ]
    with serving(folder, "net-symbol.json", "all=total-symbol.json", *limits) as running:
        yield running


def test_the_server_describes_itself_and_its_models(server: Server) -> None:
    assert server.ask("GET", "/v2")[1]["name"] == "gluonic"
    assert server.ask("GET", "/v2/health/live") == (200, {"live": True})
    assert server.ask("GET", "/v2/health/ready") == (200, {"ready": True})
    assert server.ask("GET", "/v2/models/net/ready") == (200, {"name": "net", "ready": True})
    found = server.ask("GET", "/v2/models/net")[1]
    assert found["inputs"] == [{"name": "data", "datatype": "FP32", "shape": [-1, 3]}]
    assert found["outputs"] == [{"name": OUTPUT, "datatype": "FP32", "shape": [-1, 2]}]


def test_an_answer_has_the_requests_name_and_the_outputs_it_asks_for(server: Server) -> None:
    data = np.ones((2, 3), "float32")
    status, answer = server.infer(data, id="a request", outputs=[{"name": OUTPUT}])
    assert (status, answer["id"], answer["model_name"]) == (200, "a request", "net")
    assert answer["outputs"][0]["data"] == [3, 3, 3, 3]


def test_a_model_without_a_row_for_each_sample_answers_each_request_alone(server: Server) -> None:
    data = [np.full((2, 3), i, "float32") for i in range(20)]
    with ThreadPoolExecutor(20) as clients:
        answers = [*clients.map(lambda x: server.infer(x, "all"), data)]
    sums = [answer["outputs"][0]["data"] for _, answer in answers]
    assert sums == [[6.0 * i] for i in range(20)]


TENSOR = {"name": "data", "shape": [1, 3], "datatype": "FP32", "data": [1, 2, 3]}


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "not JSON"),
        (b"{" * 10000, 400, "not JSON"),
        (b"[" * 10000, 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b"[]", 400, "inputs"),
        ({"inputs": {}}, 400, "inputs"),
        ({"inputs": []}, 400, "no input data"),
        ({"inputs": [3]}, 400, "the inputs are data"),
        ({"inputs": [{**TENSOR, "name": "../net-symbol.json"}]}, 400, "the inputs are data"),
        ({"inputs": [TENSOR, TENSOR]}, 400, "twice"),
        ({"inputs": [{**TENSOR, "shape": [1, -3]}]}, 400, "shape"),
        ({"inputs": [{**TENSOR, "shape": [1, 1e3]}]}, 400, "shape"),
        ({"inputs": [{**TENSOR, "shape": [1] * 40 + [3]}]}, 400, "shape"),
        ({"inputs": [{**TENSOR, "shape": [1 << 62, 1 << 62]}]}, 400, "do not fill"),
        ({"inputs": [{**TENSOR, "shape": [3, 0]}]}, 400, "do not fill"),
        ({"inputs": [{**TENSOR, "datatype": "BYTES"}]}, 400, "datatype"),
        ({"inputs": [{**TENSOR, "data": [1, "2", 3]}]}, 400, "not numbers"),
        ({"inputs": [{**TENSOR, "data": [1, [2], 3]}]}, 400, "unevenly"),
        ({"inputs": [{**TENSOR, "data": [1, None, 3]}]}, 400, "not numbers"),
        ({"inputs": [{**TENSOR, "data": "123"}]}, 400, "list of numbers"),
        ({"inputs": [{**TENSOR, "shape": [3, 1]}]}, 400, "the model refuses"),
        ({"inputs": [TENSOR], "outputs": [{"name": "other"}]}, 400, "outputs are"),
        ({"inputs": [TENSOR], "outputs": 3}, 400, "outputs are"),
        ({"inputs": [TENSOR], "id": 3}, 400, "id"),
        ({"inputs": [{**TENSOR, "shape": [9, 3], "data": [1] * 27}]}, 413, "8 rows"),
        (b" " * 20001, 413, "20,000 bytes"),
    ],
)
def test_wrong_requests_are_answered_and_the_server_goes_on(
    body: Any, status: int, said: str, server: Server
) -> None:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    found, answer = server.ask("POST", "/v2/models/net/infer", sent)
    assert (found, said in answer["error"]) == (status, True), answer
    assert server.infer(np.ones((1, 3), "float32"))[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v2/models/other", 404),
        ("POST", "/v2/models/other/infer", 404),
        ("GET", "/v2/models/..%2f..%2fetc%2fpasswd", 404),
        ("GET", "/v2/models/net/infer", 405),
        ("DELETE", "/v2/models/net", 405),
    ],
)
def test_paths_that_lead_nowhere(method: str, path: str, status: int, server: Server) -> None:
    assert server.ask(method, path)[0] == status


def test_clients_that_are_slow_or_leave_keep_nobody_waiting(server: Server) -> None:
    start = b"POST /v2/models/net/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
    gone = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
    for one in (*slow, *gone):
        one.sendall(start)
    for one in gone:
        one.close()
    assert server.infer(np.ones((1, 3), "float32"))[0] == 200
    for one in slow:  # nothing more is sent: the server's patience ends
        one.settimeout(60)
        assert one.recv(4096).startswith(b"HTTP/1.1 408")
        one.close()
    garbage = socket.create_connection(("127.0.0.1", server.port))
    garbage.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
    garbage.settimeout(60)
    assert garbage.recv(4096).startswith(b"HTTP/1.1 400")
    garbage.close()
    assert server.infer(np.ones((1, 3), "float32"))[0] == 200


def test_a_full_queue_refuses_and_says_when_to_come_again(folder: Path) -> None:
    data = np.ones((1, 3, 8, 8), "float32")
    with serving(folder, "net-symbol.json", "--queue", "1", "--delay", "200") as server:
        with ThreadPoolExecutor(16) as clients:
            statuses = {status for status, _ in clients.map(server.infer, [data] * 32)}
        assert statuses == {200, 503}
        assert server.infer(data)[0] == 200


def test_what_cannot_be_served_is_refused(folder: Path, line: Line) -> None:
    for arguments, status in {
        ("none.json",): 1,
        ("net-0000.params",): 2,
        ("net-symbol.json", "net-symbol.json"): 2,
        ("a/b=net-symbol.json",): 2,
        ("net-symbol.json", "--batch", "0"): 2,
        ("net-symbol.json", "--shape", "dada=1,3,8,8"): 2,
        ("net-symbol.json", "--shape", "data=1,2,8,8"): 1,
    }.items():
        refused = line("serve", *arguments)
        assert (refused.returncode, refused.stdout) == (status, "")
        assert refused.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = line("serve", "net-symbol.json", "--port", str(taken.getsockname()[1]))
        assert refused.returncode == 1
        assert "Address already in use" in refused.stderr
