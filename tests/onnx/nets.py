"""Small nets of the kinds that programs export, with inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic import gluon, nd
from gluonic.gluon import nn, rnn

Net = tuple[gluon.HybridBlock, list[nd.NDArray], list[tuple[Any, ...]] | None]
RANDOM = np.random.RandomState(0)


def uniform(*shape: int) -> nd.NDArray:
    return nd.array(RANDOM.uniform(-1, 1, shape).astype(np.float32))


class Encoder(gluon.HybridBlock):
    """A BERT: embeddings, self-attention with a mask of valid lengths, a pooled first token."""

    def __init__(self, units: int = 16, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.heads = heads
        with self.name_scope():
            self.words, self.types = nn.Embedding(50, units), nn.Embedding(2, units)
            self.positions = self.params.get("positions", shape=(64, units), init="normal")
            self.norm, self.dropout = nn.LayerNorm(epsilon=1e-12), nn.Dropout(0.1)
            self.pooler = nn.Dense(units, activation="tanh", flatten=False)
            self.parts = nn.HybridSequential()
            for _ in range(layers):
                self.parts.add(
                    nn.Dense(3 * units, flatten=False),
                    nn.Dense(units, flatten=False),
                    nn.LayerNorm(),
                    nn.Dense(2 * units, flatten=False),
                    nn.GELU(),
                    nn.Dense(units, flatten=False),
                    nn.LayerNorm(),
                )

    def hybrid_forward(
        self, F: Any, tokens: Any, types: Any, lengths: Any, positions: Any
    ) -> tuple[Any, Any]:
        steps = F.contrib.arange_like(tokens, axis=1)
        x = self.words(tokens) + self.types(types)
        x = F.broadcast_add(x, F.expand_dims(F.take(positions, steps), axis=0))
        x = F.transpose(self.dropout(self.norm(x)), axes=(1, 0, 2))
        valid = F.broadcast_lesser(
            F.reshape(steps, shape=(1, -1)), F.reshape(lengths, shape=(-1, 1))
        )
        mask = F.broadcast_axis(F.expand_dims(valid, axis=1), axis=1, size=self.heads)
        mask = F.expand_dims(F.reshape(mask, shape=(-3, 0)), axis=1)
        for first in range(0, len(self.parts), 7):
            project, merge, norm, widen, gelu, narrow, last = self.parts[first : first + 7]
            projected = project(x)
            scores = F.contrib.interleaved_matmul_selfatt_qk(projected, heads=self.heads)
            whole = F.broadcast_like(mask, scores)
            scores = F.where(whole, scores, F.ones_like(scores) * -1e18)
            attention = F.softmax(scores, axis=-1)
            joined = F.contrib.interleaved_matmul_selfatt_valatt(
                projected, attention, heads=self.heads
            )
            x = norm(x + merge(joined))
            x = last(x + narrow(gelu(widen(x))))
        x = F.transpose(x, axes=(1, 0, 2))
        head = F.reshape(F.slice_axis(x, axis=1, begin=0, end=1), shape=(0, -1))
        return x, self.pooler(head)


class Translator(gluon.HybridBlock):
    """An encoder with an LSTM, and a decoder that attends to it."""

    def __init__(self, units: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        with self.name_scope():
            self.source, self.target = nn.Embedding(30, units), nn.Embedding(40, units)
            self.encoder = rnn.LSTM(units, bidirectional=True)
            self.decoder = rnn.GRU(units)
            self.keys_values = nn.Dense(2 * units, flatten=False)
            self.queries = nn.Dense(units, flatten=False)
            self.vocabulary = nn.Dense(40, flatten=False)

    def hybrid_forward(self, F: Any, source: Any, target: Any) -> Any:
        memory = self.keys_values(self.encoder(self.source(source)))
        queries = self.queries(self.decoder(self.target(target)))
        scores = F.contrib.interleaved_matmul_encdec_qk(queries, memory, heads=self.heads)
        context = F.contrib.interleaved_matmul_encdec_valatt(
            memory, F.softmax(scores), heads=self.heads
        )
        return F.log_softmax(self.vocabulary(F.concat(queries, context, dim=-1)))


class Forecaster(gluon.HybridBlock):
    """Quantiles of a series' next values, from its scaled past."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.past, self.future = rnn.LSTM(6, num_layers=2, layout="NTC"), nn.Dense(12)

    def hybrid_forward(self, F: Any, past: Any) -> Any:
        scale = F.mean(F.abs(past), axis=1, keepdims=True) + 1e-3
        features = F.concat(
            F.expand_dims(F.broadcast_div(past, scale), axis=2),
            F.expand_dims(F.log(F.broadcast_like(scale, past)), axis=2),
            dim=2,
        )
        last = F.slice_axis(self.past(features), axis=1, begin=-1, end=None)
        quantiles = F.reshape(self.future(last), shape=(0, 4, 3))
        return F.broadcast_mul(F.sort(quantiles, axis=2), F.expand_dims(scale, axis=2))


class Segmenter(gluon.HybridBlock):
    """Down, up and across: what segmenters and their heads use."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.down, self.norm = nn.Conv2D(8, 3, padding=1, strides=2), nn.BatchNorm()
            self.up, self.slope = nn.Conv2DTranspose(4, 4, strides=2, padding=1), nn.PReLU()
            self.head, self.groups, self.instances = (
                nn.Conv2D(2, 1),
                nn.GroupNorm(2),
                nn.InstanceNorm(),
            )
            self.mean = nn.AvgPool2D(3, 2, padding=1, ceil_mode=True, count_include_pad=False)

    def hybrid_forward(self, F: Any, x: Any) -> tuple[Any, ...]:
        y = F.relu(self.norm(self.down(x)))
        z = F.Crop(self.slope(self.up(y)), x)
        pyramid = F.contrib.AdaptiveAvgPooling2D(y, output_size=(3, 2))
        return (
            self.head(z),
            F.contrib.BilinearResize2D(self.groups(y), like=x, mode="like"),
            F.slice_like(F.UpSampling(y, scale=2, sample_type="nearest"), x, axes=(2, 3)),
            F.contrib.BilinearResize2D(pyramid, height=8, width=6, align_corners=False),
            self.mean(self.instances(y)),
            F.LRN(y, nsize=3) + F.L2Normalization(y, mode="channel"),
        )


class Detector(gluon.HybridBlock):
    """An SSD: default boxes, decoding, suppression."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.body = nn.Conv2D(8, 3, padding=1, strides=2, activation="relu")
            self.kinds, self.places = nn.Conv2D(3 * 3, 3, padding=1), nn.Conv2D(3 * 4, 3, padding=1)

    def hybrid_forward(self, F: Any, x: Any) -> tuple[Any, Any]:
        y = self.body(x)
        anchors = F.contrib.MultiBoxPrior(y, sizes=(0.3, 0.5), ratios=(1, 2), clip=True)
        kinds = F.reshape(F.transpose(self.kinds(y), axes=(0, 2, 3, 1)), shape=(0, -1, 3))
        kinds = F.softmax(F.transpose(kinds, axes=(0, 2, 1)), axis=1)
        places = F.flatten(F.transpose(self.places(y), axes=(0, 2, 3, 1)))
        found = F.contrib.MultiBoxDetection(kinds, places, anchors, nms_threshold=0.4)
        best = F.contrib.box_nms(
            found, overlap_thresh=0.3, valid_thresh=0.01, topk=20, id_index=0, score_index=1
        )
        return found, best


class Loops(gluon.HybridBlock):
    """A loop over steps, one that depends on data, and a branch."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(4, flatten=False)

    def hybrid_forward(self, F: Any, x: Any, state: Any, count: Any) -> tuple[Any, ...]:
        def step(data: Any, states: Any) -> Any:
            new = F.tanh(self.dense(data) + states[0])
            return new, [new]

        outputs, last = F.contrib.foreach(step, x, [state])
        doubled, ends = F.contrib.while_loop(
            lambda a, i: i < 3, lambda a, i: (a * 2, [a * 0.5 + 1, i + 1]), [state, count], 5
        )
        chosen = F.contrib.cond(F.sum(x) > 0, lambda: F.tanh(state), lambda: state * 2)
        return outputs, last[0], doubled, ends[0], chosen


class Recurrent(gluon.HybridBlock):
    def __init__(self, layer: gluon.HybridBlock) -> None:
        super().__init__()
        self.layer, self.dense = layer, nn.Dense(3, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.dense(self.layer(x))


def tokens(most: int, *shape: int) -> nd.NDArray:
    return nd.array(RANDOM.randint(0, most, shape).astype(np.float32))


def recurrent(layer: Callable[..., Any], **settings: Any) -> Callable[[], Net]:
    return lambda: (Recurrent(layer(5, **settings)), [uniform(4, 2, 3)], [("T", "N", 3)])


NETS: dict[str, Callable[[], Net]] = {
    "bert": lambda: (
        Encoder(),
        [tokens(50, 2, 7), tokens(2, 2, 7), nd.array([5, 7])],
        [("N", "T"), ("N", "T"), ("N",)],
    ),
    "translator": lambda: (
        Translator(),
        [tokens(30, 6, 2), tokens(40, 4, 2)],
        [("S", "N"), ("T", "N")],
    ),
    "forecaster": lambda: (Forecaster(), [uniform(2, 9)], [("N", 9)]),
    "segmenter": lambda: (Segmenter(), [uniform(2, 3, 16, 12)], None),
    "detector": lambda: (Detector(), [uniform(2, 3, 16, 16)], None),
    "loops": lambda: (Loops(), [uniform(5, 2, 4), uniform(2, 4), nd.zeros((1,))], None),
    "lstm": recurrent(rnn.LSTM, num_layers=2),
    "lstm both ways": recurrent(rnn.LSTM, num_layers=2, bidirectional=True),
    "gru both ways": recurrent(rnn.GRU, num_layers=2, bidirectional=True),
    "rnn": recurrent(rnn.RNN, activation="tanh"),
}
