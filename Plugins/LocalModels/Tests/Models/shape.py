"""Makes a GGUF file with the shape of Qwen3 0.6B and weights by chance: shape.py WRITER MODEL.

What it writes makes no sense, but how long that takes does not depend on the weights: it stands in for models that
cannot be fetched here, in `make bench`. Its tokenizer is that of WRITER, filled up with tokens that never come.
"""

import os
import struct
import sys

LAYERS, WIDTH, INNER, HEADS, KEYS, HEAD, WORDS = 28, 1024, 3072, 16, 8, 128, 151_936
F32, Q4_0, Q8_0 = 0, 2, 8
NUMBER, REAL, TEXT, LIST = 4, 6, 8, 9
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
ALIGNMENT = 32


def text(value):
    value = value.encode()
    return struct.pack("<Q", len(value)) + value


def number(key, value):
    return text(key) + struct.pack("<II", NUMBER, value)


def real(key, value):
    return text(key) + struct.pack("<If", REAL, value)


def skip(data, at, kind):
    """Where a value of a model file ends."""
    if kind == TEXT:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind != LIST:
        return at + SIZES[kind]
    inner, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if inner != TEXT:
        return at + count * SIZES[inner]
    for _ in range(count):
        at = skip(data, at, TEXT)
    return at


def tokenizer(path):
    """The entries about words of another model, with as many words as this one has."""
    data = open(path, "rb").read()
    count = struct.unpack_from("<Q", data, 16)[0]
    at, entries = 24, []
    for _ in range(count):
        start = at
        length = struct.unpack_from("<Q", data, at)[0]
        key = data[at + 8:at + 8 + length].decode()
        at += 8 + length
        kind = struct.unpack_from("<I", data, at)[0]
        end = skip(data, at + 4, kind)
        if key in ("tokenizer.ggml.tokens", "tokenizer.ggml.token_type"):
            inner, words = struct.unpack_from("<IQ", data, at + 4)
            rest = range(words, WORDS)
            more = b"".join(text(f"<never {n}>") for n in rest) if inner == TEXT else struct.pack("<i", 5) * len(rest)
            entries.append(data[start:at + 4] + struct.pack("<IQ", inner, WORDS) + data[at + 16:end] + more)
        elif key.startswith("tokenizer."):
            entries.append(data[start:end])
        at = end
    return entries


def tensors():
    yield "token_embd.weight", (WIDTH, WORDS), Q8_0
    yield "output_norm.weight", (WIDTH,), F32
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        for name, size in (("attn_norm", WIDTH), ("ffn_norm", WIDTH), ("attn_q_norm", HEAD), ("attn_k_norm", HEAD)):
            yield f"{block}{name}.weight", (size,), F32
        for name, shape in (
            ("attn_q", (WIDTH, HEADS * HEAD)), ("attn_k", (WIDTH, KEYS * HEAD)), ("attn_v", (WIDTH, KEYS * HEAD)),
            ("attn_output", (HEADS * HEAD, WIDTH)), ("ffn_gate", (WIDTH, INNER)), ("ffn_up", (WIDTH, INNER)),
            ("ffn_down", (INNER, WIDTH)),
        ):
            yield f"{block}{name}.weight", shape, Q4_0


def length(shape, kind):
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    return {F32: count * 4, Q4_0: count // 32 * 18, Q8_0: count // 32 * 34}[kind]


def weights(size, kind):
    if kind == F32:
        return struct.pack("<f", 1) * (size // 4)
    block = {Q4_0: 18, Q8_0: 34}[kind]
    scale = struct.pack("<e", {Q4_0: 0.004, Q8_0: 0.0003}[kind])
    some = b"".join(scale + os.urandom(block - 2) for _ in range(8192))
    return (some * (size // len(some) + 1))[:size]


def main():
    entries = [
        text("general.architecture") + struct.pack("<I", TEXT) + text("qwen3"),
        text("general.name") + struct.pack("<I", TEXT) + text("As large as Qwen3 0.6B"),
        number("qwen3.block_count", LAYERS), number("qwen3.context_length", 4096),
        number("qwen3.embedding_length", WIDTH), number("qwen3.feed_forward_length", INNER),
        number("qwen3.attention.head_count", HEADS), number("qwen3.attention.head_count_kv", KEYS),
        number("qwen3.attention.key_length", HEAD), number("qwen3.attention.value_length", HEAD),
        real("qwen3.attention.layer_norm_rms_epsilon", 1e-6), real("qwen3.rope.freq_base", 1e6),
        *tokenizer(sys.argv[1]),
    ]
    directory, offset = b"", 0
    for name, shape, kind in tensors():
        directory += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape)
        directory += struct.pack("<IQ", kind, offset)
        offset += -(-length(shape, kind) // ALIGNMENT) * ALIGNMENT
    head = b"GGUF" + struct.pack("<IQQ", 3, len(list(tensors())), len(entries)) + b"".join(entries) + directory
    with open(sys.argv[2], "wb") as model:
        model.write(head + bytes(-len(head) % ALIGNMENT))
        for _, shape, kind in tensors():
            size = length(shape, kind)
            model.write(weights(size, kind) + bytes(-size % ALIGNMENT))


main()
