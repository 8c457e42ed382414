"""Small models as other packages export them to ONNX: PyTorch with both exporters, JAX, Keras, scikit-learn.

    PYTHON tests/measured/exported_models.py

with torch, onnxscript, jax2onnx, keras, skl2onnx and their needs writes the folder exported_models again. The
models have random weights; tests read them and compare with ONNX Runtime.
"""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_suffix("")


def torch_image_net(file: str) -> None:
    import torch
    from torch import nn

    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.SiLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, groups=8), nn.GroupNorm(2, 8), nn.Hardswish(),
        nn.Upsample(scale_factor=2, mode="bilinear"), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
    )  # fmt: skip
    images = torch.rand(2, 3, 16, 16)
    _torch_dynamo(net, (images,), file, ({0: torch.export.Dim.DYNAMIC},))


def torch_transformer(file: str) -> None:
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True)
    sizes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    _torch_dynamo(layer, (torch.rand(2, 7, 16),), file, (sizes,))


def _torch_dynamo(net: Any, inputs: tuple[Any, ...], file: str, sizes: tuple[Any, ...]) -> None:
    import torch

    torch.onnx.export(
        net.eval(), inputs, file, dynamo=True, dynamic_shapes=sizes, external_data=False
    )


def torch_words(file: str) -> None:
    import torch
    from torch import nn

    class Words(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(20, 6)
            self.recurrent = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
            self.output = nn.Linear(10, 3)

        def forward(self, words: Any) -> Any:
            states, _ = self.recurrent(self.words(words))
            return self.output(states).log_softmax(-1)

    _torch_script(Words(), torch.randint(0, 20, (2, 9)), file, {0: "batch", 1: "length"})


def torch_loop(file: str) -> None:
    import torch
    from torch import nn

    @torch.jit.script
    def settled(x):  # type: ignore[no-untyped-def]
        for _ in range(5):
            x = torch.tanh(x) * 0.9
        return x * 2 if bool(x.sum() > 0) else x - 1

    class Settling(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.step = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return settled(self.step(x))

    _torch_script(Settling(), torch.rand(3, 4), file, {0: "batch"})


def torch_unet(file: str) -> None:
    import torch
    from torch import nn

    class UNet(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.down = nn.Conv2d(1, 4, 3, stride=2, padding=1)
            self.middle = nn.Conv2d(4, 8, 3, padding=1)
            self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
            self.slope = nn.PReLU(4)
            self.out = nn.Conv2d(5, 2, 1)

        def forward(self, x: Any) -> Any:
            up = self.slope(self.up(torch.relu(self.middle(self.down(x)))))
            joined = torch.cat([x, up[:, :, : x.shape[2], : x.shape[3]]], 1)
            return torch.sigmoid(self.out(joined))

    sizes = {0: "batch", 2: "height", 3: "width"}
    _torch_script(UNet(), torch.rand(2, 1, 8, 10), file, sizes)


def _torch_script(net: Any, x: Any, file: str, sizes: dict[int, str]) -> None:
    import torch

    torch.onnx.export(
        net.eval(), (x,), file, dynamo=False, input_names=["x"], dynamic_axes={"x": sizes}
    )


def jax_attention(file: str) -> None:
    import jax
    import jax.numpy as jnp
    from jax2onnx import to_onnx

    random = np.random.RandomState(1)
    weights = [jnp.asarray(random.uniform(-1, 1, (8, 8)), jnp.float32) for _ in range(4)]

    def attention(x: Any) -> Any:
        query, key, value = (x @ weight for weight in weights[:3])
        shares = jax.nn.softmax(query @ key.swapaxes(-1, -2) / np.sqrt(8), axis=-1)
        mixed = x + jax.nn.gelu(shares @ value @ weights[3])
        centred = mixed - mixed.mean(-1, keepdims=True)
        return centred / jnp.sqrt(centred.var(-1, keepdims=True) + 1e-5)

    to_onnx(attention, [(2, 5, 8)], return_mode="file", output_path=file)


def jax_scan(file: str) -> None:
    import jax
    import jax.numpy as jnp
    from jax2onnx import to_onnx

    random = np.random.RandomState(1)
    inner, outer = (jnp.asarray(random.uniform(-1, 1, (4, 4)), jnp.float32) for _ in range(2))

    def recurrent(x: Any) -> Any:
        def step(state: Any, each: Any) -> Any:
            state = jnp.tanh(each @ outer + state @ inner)
            return state, state

        return jax.lax.scan(step, jnp.zeros((3, 4), jnp.float32), x)[1]

    to_onnx(recurrent, [(6, 3, 4)], return_mode="file", output_path=file)


def keras_image_net(file: str) -> None:
    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    from keras import layers

    net = keras.Sequential(
        [
            keras.Input((12, 12, 3)), layers.Conv2D(6, 3, activation="relu"), layers.BatchNormalization(),
            layers.DepthwiseConv2D(3, padding="same", strides=2), layers.GlobalAveragePooling2D(),
            layers.Dense(4, activation="softmax"),
        ]
    )  # fmt: skip
    net(np.zeros((1, 12, 12, 3), np.float32))
    net.export(file, format="onnx", verbose=False)


def sklearn_classifier(file: str) -> None:
    from sklearn.neural_network import MLPClassifier

    _sklearn(MLPClassifier((16, 8), max_iter=20, random_state=1), file)


def sklearn_regressor(file: str) -> None:
    from sklearn.neural_network import MLPRegressor

    _sklearn(
        MLPRegressor(hidden_layer_sizes=(16,), activation="tanh", max_iter=20, random_state=1), file
    )


def _sklearn(net: Any, file: str) -> None:
    from skl2onnx import to_onnx

    random = np.random.RandomState(1)
    x = random.uniform(-1, 1, (200, 6)).astype(np.float32)
    net.fit(x, (x.sum(1) > 0).astype(np.int64))
    options = {"zipmap": False} if hasattr(net, "classes_") else None
    model = to_onnx(net, x[:1], options=options, target_opset=18)
    Path(file).write_bytes(model.SerializeToString())


MODELS: dict[str, Callable[[str], None]] = {
    "torch_image_net": torch_image_net,
    "torch_transformer": torch_transformer,
    "torch_words": torch_words,
    "torch_loop": torch_loop,
    "torch_unet": torch_unet,
    "jax_attention": jax_attention,
    "jax_scan": jax_scan,
    "keras_image_net": keras_image_net,
    "sklearn_classifier": sklearn_classifier,
    "sklearn_regressor": sklearn_regressor,
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or MODELS:
        try:
            MODELS[name](str(FOLDER / f"{name}.onnx"))
            print(name, flush=True)
        except Exception:  # a package that is not there leaves its models as they are
            traceback.print_exc()


if __name__ == "__main__":
    main()
