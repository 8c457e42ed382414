"""Nets of GluonCV, GluonNLP, GluonTS and Sockeye, with inputs.

The real MXNet runs this file, too; so each function gets the package, gluonic or mxnet.
"""

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

RANDOM = np.random.RandomState(0)
Made = tuple[Any, list[Any]]
"""A net, and inputs."""
Maker = Callable[[Any], Made]


def image(mx: Any, size: int, net: Any) -> Made:
    return net, [mx.nd.array(RANDOM.uniform(-1, 1, (1, 3, size, size)))]


def of_gluoncv(name: str, size: int = 224, **options: Any) -> Maker:
    def make(mx: Any) -> Made:
        zoo = importlib.import_module("gluoncv.model_zoo")
        return image(mx, size, zoo.get_model(name, pretrained=False, **options))

    return make


def bert(mx: Any) -> Made:
    without_cython = types.ModuleType("gluonnlp.data.fast_bert_tokenizer")
    without_cython.__getattr__ = lambda name: None  # type: ignore[method-assign]
    sys.modules.setdefault(without_cython.__name__, without_cython)
    model = importlib.import_module("gluonnlp.model.bert")
    encoder = model.BERTEncoder(
        num_layers=2, units=64, hidden_size=128, max_length=64, num_heads=4, dropout=0.1
    )
    net = model.BERTModel(
        encoder, 100, 2, 64, 64, use_pooler=True, use_decoder=False, use_classifier=False
    )
    words = mx.nd.array(RANDOM.randint(0, 100, (2, 12)))
    kinds = mx.nd.array(RANDOM.randint(0, 2, (2, 12)))
    return net, [words, kinds, mx.nd.array([7, 12])]


def forecaster(mx: Any) -> Made:
    network = importlib.import_module("gluonts.mx.model.n_beats._network")
    net = network.NBEATSPredictionNetwork(
        prediction_length=6,
        context_length=12,
        num_stacks=2,
        widths=[32, 32],
        num_blocks=[2, 2],
        num_block_layers=[2, 2],
        expansion_coefficient_lengths=[3, 3],
        sharing=[False, False],
        stack_types=["G", "G"],
        scale=True,
    )
    past = mx.nd.array(RANDOM.uniform(0, 9, (3, 12)))
    return net, [past, mx.nd.ones((3, 12))]


DEEPAR: dict[str, Any] = {
    "num_layers": 2,
    "num_cells": 8,
    "cell_type": "lstm",
    "history_length": 12,
    "context_length": 8,
    "prediction_length": 4,
    "dropout_rate": 0.1,
    "cardinality": [3],
    "embedding_dimension": [2],
    "lags_seq": [1, 2, 4],
}


def series(mx: Any, batch: int, steps: int) -> Any:
    return mx.nd.array(RANDOM.uniform(1, 9, (batch, steps)))


def deepar_inputs(mx: Any, batch: int = 2) -> list[Any]:
    """Categories, real features, times, the past, and which of it was observed."""
    category = mx.nd.array(RANDOM.randint(0, 3, (batch, 1)))
    times = mx.nd.array(RANDOM.uniform(-1, 1, (batch, 12, 2)))
    return [category, series(mx, batch, 1), times, series(mx, batch, 12), mx.nd.ones((batch, 12))]


def deepar(mx: Any) -> Made:
    """DeepAR's distribution of each step, given the steps before."""
    network = importlib.import_module("gluonts.mx.model.deepar._network")
    output = importlib.import_module("gluonts.mx.distribution.student_t").StudentTOutput()

    class Distribution(network.DeepARTrainingNetwork):  # type: ignore[name-defined,misc]
        def hybrid_forward(self, F: Any, *inputs: Any) -> Any:
            scaled = self.distribution(*inputs)
            of_unit = scaled.base_distribution
            return [of_unit.mu, of_unit.sigma, of_unit.nu, scaled.transforms[0].scale]

    past = deepar_inputs(mx)
    times = mx.nd.array(RANDOM.uniform(-1, 1, (2, 4, 2)))
    future = [mx.nd.zeros((2, 12)), times, series(mx, 2, 4), mx.nd.ones((2, 4))]
    return Distribution(distr_output=output, **DEEPAR), [*past, *future]


def deepar_samples(mx: Any) -> Made:
    """DeepAR as it predicts: each step is drawn from a normal distribution, and is the next one's input."""
    network = importlib.import_module("gluonts.mx.model.deepar._network")
    output = importlib.import_module("gluonts.mx.distribution.gaussian").GaussianOutput()
    net = network.DeepARPredictionNetwork(distr_output=output, num_parallel_samples=5, **DEEPAR)
    times = mx.nd.array(RANDOM.uniform(-1, 1, (2, 4, 2)))
    return net, [*deepar_inputs(mx), times, mx.nd.zeros((2, 12))]


def transformer_config() -> Any:
    transformer = importlib.import_module("sockeye.transformer")
    return transformer.TransformerConfig(
        model_size=32,
        attention_heads=4,
        feed_forward_num_hidden=64,
        act_type="relu",
        num_layers=2,
        dropout_attention=0.1,
        dropout_act=0.1,
        dropout_prepost=0.1,
        positional_embedding_type="fixed",
        preprocess_sequence="n",
        postprocess_sequence="dr",
        max_seq_len_source=20,
        max_seq_len_target=20,
    )


def translator(mx: Any) -> Made:
    encoder = importlib.import_module("sockeye.encoder")
    net = encoder.TransformerEncoder(transformer_config(), prefix="encoder_")
    return net, [mx.nd.array(RANDOM.uniform(-1, 1, (2, 9, 32))), mx.nd.array([9, 5])]


def translating_step(mx: Any) -> Made:
    """A step of the decoder, with the states that it passes on."""
    decoder = importlib.import_module("sockeye.decoder")

    class Step(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope():
                self.decoder = decoder.TransformerDecoder(
                    transformer_config(), prefix="decoder_", inference_only=True
                )

        def hybrid_forward(self, F: Any, word: Any, *states: Any) -> Any:
            target, new = self.decoder(word, list(states))
            return [target, *new]

    net = Step()
    net.initialize()
    encoded = mx.nd.array(RANDOM.uniform(-1, 1, (2, 9, 32)))
    states = net.decoder.init_state_from_encoder(encoded, mx.nd.array([9, 5]))
    return net, [mx.nd.array(RANDOM.uniform(-1, 1, (2, 1, 32))), *states]


NETS: dict[str, Maker] = {
    "gluoncv resnet18_v1b": of_gluoncv("resnet18_v1b"),
    "gluoncv mobilenetv3_small": of_gluoncv("mobilenetv3_small"),
    "gluoncv se_resnext50_32x4d": of_gluoncv("se_resnext50_32x4d"),
    "gluoncv hrnet_w18_small_v1_c": of_gluoncv("hrnet_w18_small_v1_c"),
    "gluoncv cifar_wideresnet16_10": of_gluoncv("cifar_wideresnet16_10", 32),
    "gluoncv ssd_512_mobilenet1.0_voc": of_gluoncv(
        "ssd_512_mobilenet1.0_voc", 256, pretrained_base=False
    ),
    "gluoncv yolo3_mobilenet1.0_voc": of_gluoncv(
        "yolo3_mobilenet1.0_voc", 128, pretrained_base=False
    ),
    "gluoncv center_net_resnet18_v1b_voc": of_gluoncv(
        "center_net_resnet18_v1b_voc", 128, pretrained_base=False
    ),
    "gluoncv fcn_resnet50_voc": of_gluoncv("fcn_resnet50_voc", 480, pretrained_base=False),
    "gluoncv deeplab_resnet50_citys": of_gluoncv(
        "deeplab_resnet50_citys", 480, pretrained_base=False
    ),
    "gluoncv simple_pose_resnet18_v1b": of_gluoncv("simple_pose_resnet18_v1b", 128),
    "gluoncv faster_rcnn_resnet50_v1b_voc": of_gluoncv(
        "faster_rcnn_resnet50_v1b_voc", 128, pretrained_base=False
    ),
    "gluoncv mask_rcnn_resnet18_v1b_coco": of_gluoncv(
        "mask_rcnn_resnet18_v1b_coco", 256, pretrained_base=False
    ),
    "gluonnlp BERT": bert,
    "gluonts N-BEATS": forecaster,
    "gluonts DeepAR": deepar,
    "gluonts DeepAR, drawing": deepar_samples,
    "sockeye transformer": translator,
    "sockeye decoder": translating_step,
}
