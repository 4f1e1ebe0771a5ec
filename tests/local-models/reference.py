"""Writes models with real weights, and the vectors that the reference implementation makes of texts.

usage: reference.py DIRECTORY TEXTS RESULT: the directory of models, and two files with JSON.
"""
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
from model2vec import StaticModel

directory, texts, result = sys.argv[1:]
package = importlib.util.find_spec("static_model").submodule_search_locations[0]
original = Path(directory) / "tokenlearn"
shutil.copytree(Path(package) / "model", original)
model = StaticModel.from_pretrained(original)
for name, numbers in [("half", np.float16), ("single", np.float32)]:
    StaticModel(
        model.embedding.astype(numbers) / 127,
        model.tokenizer,
        normalize=True,
        weights=model.weights,
        token_mapping=model.token_mapping,
    ).save_pretrained(Path(directory) / name)

with open(texts, encoding="utf-8") as file:
    wanted = json.load(file)
vectors = {
    name: StaticModel.from_pretrained(Path(directory) / name).encode(wanted).astype(float).tolist()
    for name in ("tokenlearn", "half", "single")
}
with open(result, "w", encoding="utf-8") as file:
    json.dump(vectors, file)
