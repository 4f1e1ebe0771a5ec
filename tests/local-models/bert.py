"""BERT models of tests: their graph for ONNX, made of the tensors of a safetensors file, and the same arithmetic again.

The arithmetic is written apart from the graph, in 64-bit floats, after the definition of BERT.
"""
import math
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS = "num_attention_heads"


class Graph:
    """Collects nodes; each method returns the name of the result."""

    def __init__(self, tensors):
        self.tensors = {name: tensor.astype(np.float32) for name, tensor in tensors.items()}
        self.nodes, self.constants = [], {}

    def op(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value, kind=np.int64):
        name = f"constant_{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.array(value, kind), name)
        return name

    def tensor(self, name, transposed=False):
        stored = self.tensors[name].T if transposed else self.tensors[name]
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(stored), name)
        return name

    def linear(self, value, layer):
        product = self.op("MatMul", value, self.tensor(f"{layer}.weight", transposed=True))
        return self.op("Add", product, self.tensor(f"{layer}.bias"))

    def norm(self, value, layer, epsilon):
        scale, bias = self.tensor(f"{layer}.weight"), self.tensor(f"{layer}.bias")
        return self.op("LayerNormalization", value, scale, bias, axis=-1, epsilon=epsilon)

    def gelu(self, value):
        error = self.op("Erf", self.op("Div", value, self.constant(math.sqrt(2), np.float32)))
        half = self.op("Mul", value, self.constant(0.5, np.float32))
        return self.op("Mul", half, self.op("Add", error, self.constant(1, np.float32)))


def write_graph(path, tensors, config, is_reranker=False):
    """Writes the graph of the model; `is_reranker` gives it the head of a sequence classification."""
    graph = Graph(tensors)
    prefix = "bert." if is_reranker else ""
    hidden = encode(graph, prefix, config)
    result, shape = hidden, ["batch", "sequence", config["hidden_size"]]
    if is_reranker:
        first = graph.op("Gather", hidden, graph.constant(0), axis=1)
        pooled = graph.op("Tanh", graph.linear(first, "bert.pooler.dense"))
        result, shape = graph.linear(pooled, "classifier"), ["batch", 1]
    output = "logits" if is_reranker else "last_hidden_state"
    graph.nodes.append(helper.make_node("Identity", [result], [output]))
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in names]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    made = helper.make_graph(graph.nodes, "bert", inputs, outputs, list(graph.constants.values()))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)


def encode(graph, prefix, config):
    heads, width, epsilon = config[HEADS], config["hidden_size"], config["layer_norm_eps"]
    size = width // heads
    embeddings = f"{prefix}embeddings."
    words = graph.op("Gather", graph.tensor(f"{embeddings}word_embeddings.weight"), "input_ids")
    kinds = graph.op("Gather", graph.tensor(f"{embeddings}token_type_embeddings.weight"), "token_type_ids")
    length = graph.op("Gather", graph.op("Shape", "input_ids"), graph.constant([1]))
    places = graph.op(
        "Slice", graph.tensor(f"{embeddings}position_embeddings.weight"), graph.constant([0]), length
    )
    hidden = graph.op("Add", graph.op("Add", words, kinds), places)
    hidden = graph.norm(hidden, f"{embeddings}LayerNorm", epsilon)
    mask = graph.op("Cast", graph.op("Unsqueeze", "attention_mask", graph.constant([1, 2])), to=TensorProto.FLOAT)
    hidden_places = graph.op("Sub", graph.constant(1, np.float32), mask)
    bias = graph.op("Mul", hidden_places, graph.constant(-1e9, np.float32))
    for number in range(config["num_hidden_layers"]):
        layer = f"{prefix}encoder.layer.{number}."

        def parts(name, order, value=hidden, layer=layer):
            found = graph.linear(value, f"{layer}attention.self.{name}")
            apart = graph.op("Reshape", found, graph.constant([0, 0, heads, size]))
            return graph.op("Transpose", apart, perm=order)

        query, key = parts("query", [0, 2, 1, 3]), parts("key", [0, 2, 3, 1])
        scores = graph.op("Div", graph.op("MatMul", query, key), graph.constant(math.sqrt(size), np.float32))
        chances = graph.op("Softmax", graph.op("Add", scores, bias), axis=-1)
        seen = graph.op("MatMul", chances, parts("value", [0, 2, 1, 3]))
        joined = graph.op("Transpose", seen, perm=[0, 2, 1, 3])
        joined = graph.op("Reshape", joined, graph.constant([0, 0, width]))
        changed = graph.linear(joined, f"{layer}attention.output.dense")
        hidden = graph.norm(graph.op("Add", changed, hidden), f"{layer}attention.output.LayerNorm", epsilon)
        inner = graph.gelu(graph.linear(hidden, f"{layer}intermediate.dense"))
        changed = graph.linear(inner, f"{layer}output.dense")
        hidden = graph.norm(graph.op("Add", changed, hidden), f"{layer}output.LayerNorm", epsilon)
    return hidden


def hidden_states(tensors, config, ids, kinds, prefix=""):
    """The last hidden states of one text, a row for each token."""
    tensors = {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}

    def linear(value, layer):
        return value @ tensors[f"{layer}.weight"].astype(float).T + tensors[f"{layer}.bias"]

    def norm(value, layer):
        centred = value - value.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + config["layer_norm_eps"])
        return centred / spread * tensors[f"{layer}.weight"] + tensors[f"{layer}.bias"]

    error = np.vectorize(math.erf)
    table = {name: tensors[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")}
    hidden = table["word"][ids].astype(float) + table["position"][: len(ids)] + table["token_type"][kinds]
    hidden = norm(hidden, "embeddings.LayerNorm")
    heads = config[HEADS]
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}."
        query, key, value = (
            linear(hidden, f"{layer}attention.self.{name}").reshape(len(ids), heads, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
        chances = np.exp(scores - scores.max(-1, keepdims=True))
        chances /= chances.sum(-1, keepdims=True)
        joined = (chances @ value).swapaxes(0, 1).reshape(len(ids), -1)
        hidden = norm(linear(joined, f"{layer}attention.output.dense") + hidden, f"{layer}attention.output.LayerNorm")
        inner = linear(hidden, f"{layer}intermediate.dense")
        inner = inner * 0.5 * (1 + error(inner / math.sqrt(2)))
        hidden = norm(linear(inner, f"{layer}output.dense") + hidden, f"{layer}output.LayerNorm")
    return hidden


def logit(tensors, config, ids, kinds):
    """The score of one pair by a sequence classification with one label."""
    first = hidden_states(tensors, config, ids, kinds, "bert.")[0]
    pooled = np.tanh(first @ tensors["bert.pooler.dense.weight"].astype(float).T + tensors["bert.pooler.dense.bias"])
    return float((pooled @ tensors["classifier.weight"].astype(float).T + tensors["classifier.bias"])[0])
