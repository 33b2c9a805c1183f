"""Makes a GGUF file, with numbers of 16 bits, of a sentence transformer of the BERT kind: reader.py PACKAGE MODEL.

Needs nothing but Python: safetensors is a list in JSON and then the numbers, and GGUF is not much more.
"""

import array
import json
import struct
import sys
import zipfile

ALIGNMENT = 32
F32, F16 = 0, 1
NUMBER, FLAG, TEXT, LIST, REAL = 4, 7, 8, 9, 6
NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5
# How llama.cpp names what a layer of BERT is made of.
NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def text(value):
    value = value.encode()
    return struct.pack("<Q", len(value)) + value


def entry(key, kind, value):
    packed = {
        NUMBER: lambda: struct.pack("<I", value), REAL: lambda: struct.pack("<f", value),
        FLAG: lambda: struct.pack("<?", value), TEXT: lambda: text(value),
    }
    return text(key) + struct.pack("<I", kind) + packed[kind]()


def listing(key, kind, items):
    return text(key) + struct.pack("<IIQ", LIST, kind, len(items)) + b"".join(items)


def tensor_name(name):
    module, kind = name.rsplit(".", 1)
    if module.startswith("encoder.layer."):
        number, part = module.removeprefix("encoder.layer.").split(".", 1)
        return f"blk.{number}.{NAMES[part]}.{kind}"
    return f"{NAMES[module]}.{kind}"


def vocabulary(tokenizer):
    special = {token["content"] for token in tokenizer["added_tokens"] if token["special"]}
    for token, _ in sorted(tokenizer["model"]["vocab"].items(), key=lambda pair: pair[1]):
        if token in special:
            yield token, UNKNOWN if token == "[UNK]" else CONTROL
        elif token.startswith("##"):
            yield token[2:], NORMAL
        elif token.startswith("[unused"):
            yield token, UNUSED
        else:
            yield "\u2581" + token, NORMAL


def values(config, tokenizer):
    tokens = list(vocabulary(tokenizer))
    number = tokenizer["model"]["vocab"]
    yield entry("general.architecture", TEXT, "bert")
    yield entry("general.name", TEXT, "all-MiniLM-L6-v2")
    yield entry("general.license", TEXT, "apache-2.0")
    yield entry("general.file_type", NUMBER, F16)
    yield entry("bert.block_count", NUMBER, config["num_hidden_layers"])
    yield entry("bert.context_length", NUMBER, config["max_position_embeddings"])
    yield entry("bert.embedding_length", NUMBER, config["hidden_size"])
    yield entry("bert.feed_forward_length", NUMBER, config["intermediate_size"])
    yield entry("bert.attention.head_count", NUMBER, config["num_attention_heads"])
    yield entry("bert.attention.layer_norm_epsilon", REAL, config["layer_norm_eps"])
    yield entry("bert.attention.causal", FLAG, False)
    yield entry("bert.pooling_type", NUMBER, 1)
    yield entry("tokenizer.ggml.model", TEXT, "bert")
    yield entry("tokenizer.ggml.pre", TEXT, "default")
    yield entry("tokenizer.ggml.token_type_count", NUMBER, config["type_vocab_size"])
    yield listing("tokenizer.ggml.tokens", TEXT, [text(token) for token, _ in tokens])
    yield listing("tokenizer.ggml.token_type", 5, [struct.pack("<i", kind) for _, kind in tokens])
    for role, token in [("bos", "[CLS]"), ("eos", "[SEP]"), ("seperator", "[SEP]"), ("padding", "[PAD]"),
                        ("unknown", "[UNK]"), ("mask", "[MASK]")]:
        yield entry(f"tokenizer.ggml.{role}_token_id", NUMBER, number[token])
    yield entry("tokenizer.ggml.add_bos_token", FLAG, True)
    yield entry("tokenizer.ggml.add_eos_token", FLAG, True)


def tensors(weights):
    (length,) = struct.unpack_from("<Q", weights)
    for name, about in json.loads(weights[8:8 + length]).items():
        if name == "__metadata__" or name.startswith("pooler.") or name.endswith("position_ids"):
            continue
        first, last = about["data_offsets"]
        numbers = weights[8 + length + first:8 + length + last]
        is_small = len(about["shape"]) < 2 or "position" in name or "token_type" in name
        if not is_small:
            reals = array.array("f", numbers)
            numbers = struct.pack(f"<{len(reals)}e", *reals)
        yield tensor_name(name), about["shape"], F32 if is_small else F16, numbers


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def main(package, target):
    with zipfile.ZipFile(package) as files:
        def read(name):
            (path,) = [path for path in files.namelist() if path.endswith("/model/" + name)]
            return files.read(path)
        config = json.loads(read("config.json"))
        head = list(values(config, json.loads(read("tokenizer.json"))))
        body = list(tensors(read("model.safetensors")))
    directory, offset = b"", 0
    for name, shape, kind, numbers in body:
        extents = b"".join(struct.pack("<Q", extent) for extent in reversed(shape))
        directory += text(name) + struct.pack("<I", len(shape)) + extents + struct.pack("<IQ", kind, offset)
        offset += len(padded(numbers))
    with open(target, "wb") as file:
        begin = b"GGUF" + struct.pack("<IQQ", 3, len(body), len(head)) + b"".join(head) + directory
        file.write(padded(begin))
        for *_, numbers in body:
            file.write(padded(numbers))


main(*sys.argv[1:])
