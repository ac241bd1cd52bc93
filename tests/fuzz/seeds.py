"""Small valid checkpoints of every format, from which the inputs are made.

Run as a program it writes them below a folder: the libraries that write them take more memory than a reader
may, so they have a process of their own. A target is a folder, a seed a folder in it: ``open`` names what is
opened, ``change`` the files that are changed, ``files`` holds them all.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import shutil
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "checkpoints" / "data"
CONFIGS: tuple[dict[str, Any], ...] = (
    {"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48}
    | {"num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2},
    {"model_type": "gpt2", "vocab_size": 96, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
    {"model_type": "qwen3_moe", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48}
    | {"num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "num_experts": 4}
    | {"moe_intermediate_size": 24, "num_experts_per_tok": 2, "decoder_sparse_step": 1}
    | {"mlp_only_layers": [0]},
    {"model_type": "deepseek_v3", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48}
    | {"num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 4, "n_routed_experts": 4}
    | {"n_shared_experts": 2, "first_k_dense_replace": 1, "moe_intermediate_size": 24, "q_lora_rank": 12}
    | {"kv_lora_rank": 8, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8}
    | {"num_experts_per_tok": 2, "n_group": 2, "topk_group": 1},
    {"model_type": "bert", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48}
    | {"num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 20, "type_vocab_size": 2},
    {"model_type": "t5", "vocab_size": 96, "d_model": 32, "d_ff": 48, "d_kv": 8, "num_layers": 2}
    | {"num_heads": 4, "relative_attention_num_buckets": 8, "feed_forward_proj": "gated-gelu"},
    {"model_type": "vit", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    | {"num_attention_heads": 4, "image_size": 32, "patch_size": 8, "num_channels": 3},
    {"model_type": "mistral3", "text_config": {"model_type": "mistral", "vocab_size": 96, "hidden_size": 32}
     | {"intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 8}},
    {"_class_name": "UNet2DConditionModel", "sample_size": 8, "in_channels": 4, "out_channels": 4}
    | {"block_out_channels": [32, 64], "cross_attention_dim": 16, "layers_per_block": 1}
    | {"down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"]}
    | {"up_block_types": ["UpBlock2D", "UpBlock2D"]},
)  # fmt: skip


class Seeds:
    """Where seeds are put down, one folder each."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, target: str, files: Mapping[str, bytes], change: Iterable[str], opened: str = "") -> None:
        """Write one seed; what is opened is the first file that is changed, or ``.`` for the folder."""
        changed = list(change)
        for file in changed:
            assert file in files, (target, file)
        seed = self.root / target / f"{len(list(self.root.glob(f'{target}/*'))):02d}"
        for name, data in files.items():
            path = seed / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (seed / "change").write_text("\n".join(changed), encoding="utf-8")
        (seed / "open").write_text(opened or changed[0], encoding="utf-8")

    def one(self, target: str, name: str, data: bytes) -> None:
        """A checkpoint of one file."""
        self.add(target, {name: data}, [name])

    def folder(self, target: str, folder: Path, change: Callable[[str], bool]) -> None:
        """A checkpoint of many files, those for which ``change`` says so are changed."""
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        self.add(target, files, filter(change, files), ".")


def _saved_by(write: Callable[[Any], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def _torch(seeds: Seeds, scratch: Path) -> None:
    import torch
    from torch import nn
    from torch.distributed.checkpoint.state_dict import get_state_dict
    from torch.distributed.checkpoint.state_dict_saver import save

    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))
    optimizer = torch.optim.AdamW(model.parameters())
    torch.autograd.backward(model(torch.randn(4, 4)).sum())
    optimizer.step()
    weights, state = model.state_dict(), optimizer.state_dict()
    view = torch.zeros(100)
    values: tuple[Any, ...] = (
        weights,
        {"model": weights, "optimizer": state, "epoch": 3, "args": argparse.Namespace(lr=0.1)},
        {"state_dict": weights, "optimizer_states": [state], "callbacks": {"x": {}}, "hyper_parameters": {}},
        {"a": view[:10], "b": view[10:20], "c": torch.zeros(1).expand(5, 5), "t": weights["0.weight"]},
        {
            "module._orig_mod.w": torch.zeros(2, 2, dtype=torch.float8_e4m3fn),
            "n": nn.Parameter(torch.ones(2)),
        },
        model,
        state,
    )
    for value in values:
        for target, new in (("torch-zip", True), ("torch-legacy", False)):
            data = _saved_by(partial(torch.save, value, _use_new_zipfile_serialization=new))
            seeds.one(target, "m.pt", data)
    scripted = torch.jit.script(model.eval())
    seeds.one("torch-zip", "m.pt", _saved_by(lambda stream: torch.jit.save(scripted, stream)))
    seeds.one("pickle", "m.pkl", pickle.dumps({"a": 1, "b": argparse.Namespace(x=2)}))
    seeds.one("pickle", "m.bin", b"c__builtin__\nprint\n(S'x'\ntR.")
    both = {"model": get_state_dict(model, optimizer)[0], "optim": get_state_dict(model, optimizer)[1]}
    save(both, checkpoint_id=scratch / "dcp", no_dist=True)
    seeds.folder("torch-distributed", scratch / "dcp", lambda name: name == ".metadata")
    save({"model": both["model"]}, checkpoint_id=scratch / "fsdp" / "pytorch_model_fsdp_0", no_dist=True)
    save({"optimizer": both["optim"]}, checkpoint_id=scratch / "fsdp" / "optimizer_0", no_dist=True)
    seeds.folder("accelerate-fsdp", scratch / "fsdp", lambda name: name.endswith(".metadata"))
    _megatron(seeds, scratch, torch, save)
    trainer = {
        "pytorch_model.bin": _saved_by(lambda stream: torch.save(weights, stream)),
        "optimizer.pt": _saved_by(lambda stream: torch.save(state, stream)),
        "scaler.pt": _saved_by(lambda stream: torch.save({"scale": 1.0}, stream)),
    }
    seeds.add("trainer", trainer, trainer, ".")
    shards = {
        f"pytorch_model-0000{part}-of-00002.bin": _saved_by(partial(torch.save, {f"w{part}": view}))
        for part in (1, 2)
    }
    seeds.add("torch-shards", shards, shards, ".")


def _megatron(seeds: Seeds, scratch: Path, torch: Any, save: Any) -> None:
    folder = scratch / "megatron"
    held = {
        "decoder.layers.mlp.linear_fc1.weight": torch.zeros(2, 8, 4),
        "embedding.weight": torch.zeros(4, 4),
    }
    moments = {f"optimizer.state.exp_avg.{name}": value for name, value in held.items()}
    save({**held, **moments}, checkpoint_id=folder, no_dist=True)
    group = {"lr": 1e-3, "betas": (0.9, 0.95), "step": 5}
    torch.save({"optimizer": {"optimizer": {"param_groups": [group]}}, "iteration": 5}, folder / "common.pt")
    (folder / "metadata.json").write_text('{"sharded_backend": "torch_dist", "sharded_backend_version": 1}')
    seeds.folder("megatron", folder, lambda name: not name.endswith(".distcp"))
    zarr = scratch / "zarr"
    for name in ("embedding.weight", "optimizer.state.exp_avg.embedding.weight"):
        (zarr / name).mkdir(parents=True)
        (zarr / name / ".zarray").write_text('{"shape": [16, 4], "dtype": "<f4", "chunks": [8, 4]}')
    torch.save({"iteration": 5}, zarr / "common.pt")
    (zarr / "metadata.json").write_text('{"sharded_backend": "zarr", "sharded_backend_version": 1}')
    seeds.folder("megatron", zarr, lambda name: True)
    (scratch / "ranks" / "iter_0000003" / "mp_rank_00").mkdir(parents=True)
    inner = scratch / "ranks" / "iter_0000003" / "mp_rank_00" / "model_optim_rng.pt"
    torch.save({"model": {"w": torch.zeros(4, 4)}, "iteration": 3}, inner)
    (scratch / "ranks" / "latest_checkpointed_iteration.txt").write_text("3")
    seeds.folder("megatron", scratch / "ranks", lambda name: True)


def _safetensors(seeds: Seeds) -> None:
    def file(entries: Mapping[str, tuple[str, list[int], int]], **metadata: str) -> bytes:
        header, end = dict[str, Any](__metadata__=metadata) if metadata else {}, 0
        for name, (dtype, shape, size) in entries.items():
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
            end += size
        raw = json.dumps(header).encode()
        return len(raw).to_bytes(8, "little") + raw + bytes(end)

    plain = file({"embed.weight": ("F32", [4, 3], 48), "norm.weight": ("BF16", [3], 6)}, format="pt")
    fp8 = file({"l.weight": ("F8_E4M3", [4, 4], 16), "l.weight_scale_inv": ("F32", [1, 1], 4)})
    gptq = {"l.qweight": ("I32", [1, 8], 32), "l.qzeros": ("I32", [1, 1], 4), "l.scales": ("F16", [1, 8], 16)}
    nf4 = {"l.weight": ("U8", [16, 1], 16), "l.weight.absmax": ("U8", [1], 1)}
    nf4 |= {
        "l.weight.quant_map": ("F32", [16], 64),
        "l.weight.quant_state.bitsandbytes__nf4": ("U8", [40], 40),
    }
    for data in (
        plain,
        fp8,
        file(gptq),
        file(nf4),
        file({"a": ("F4", [2, 32], 32), "s": ("F8_E8M0", [2], 2)}),
    ):
        seeds.one("safetensors", "m.safetensors", data)
    config = {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 8}}
    files = {"model.safetensors": file(gptq), "config.json": json.dumps(CONFIGS[0] | config).encode()}
    seeds.add("config-beside", files, ["config.json", "model.safetensors"], ".")
    shards = {f"model-0000{part}-of-00002.safetensors": plain for part in (1, 2)}
    weight_map = {name: next(iter(shards)) for name in ("embed.weight", "norm.weight")}
    index = json.dumps({"metadata": {"total_size": 54}, "weight_map": weight_map}).encode()
    name = "model.safetensors.index.json"
    seeds.add("shards", {**shards, name: index}, [name, *shards], name)
    seeds.add("shards", {**shards, name: index}, [name, *shards], ".")
    adapter = {
        f"base_model.model.model.layers.0.self_attn.q_proj.lora_{side}.weight": ("F32", shape, 4 * 8)
        for side, shape in (("A", [2, 4]), ("B", [4, 2]))
    }
    settings = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["q_proj"]}
    settings |= {"base_model_name_or_path": "../../outside", "modules_to_save": None}
    files = {"adapter_model.safetensors": file(adapter), "adapter_config.json": json.dumps(settings).encode()}
    seeds.add("adapter", files, ["adapter_config.json", "adapter_model.safetensors"], ".")
    files = {"refs/main": b"abc", "snapshots/abc/model.safetensors": plain}
    seeds.add("cache", files, list(files), ".")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123\n"
    seeds.one("safetensors", "m.safetensors", pointer)
    for values in CONFIGS:
        seeds.one("config", "config.json", json.dumps(values).encode())


def _small_formats(seeds: Seeds, scratch: Path) -> None:
    import gguf
    import h5py
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    for endian in (gguf.GGUFEndian.LITTLE, gguf.GGUFEndian.BIG):
        writer = gguf.GGUFWriter(scratch / "m.gguf", "llama", endianess=endian)
        writer.add_uint32("llama.block_count", 1)
        writer.add_uint32("llama.embedding_length", 8)
        writer.add_uint32("llama.attention.head_count", 2)
        writer.add_token_list([f"token {index}" for index in range(5)])
        writer.add_token_scores([0.0] * 5)
        writer.add_tensor("token_embd.weight", np.zeros((5, 8), np.float32))
        writer.add_tensor("blk.0.attn_q.weight", np.zeros((8, 8), np.float16))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        seeds.one("gguf", "m.gguf", (scratch / "m.gguf").read_bytes())
    tensors = [numpy_helper.from_array(np.ones((3, 2), np.float32), name) for name in ("w", "b")]
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    outside = onnx.TensorProto(name="e", dims=[4], data_type=1, data_location=1)
    outside.external_data.add(key="location", value="e.bin")
    outside.external_data.add(key="length", value="16")
    for held in (tensors, [*tensors, outside]):
        graph = helper.make_graph([node], "g", [], [], held)
        files = {"m.onnx": helper.make_model(graph).SerializeToString(), "e.bin": bytes(16)}
        seeds.add("onnx", files, ["m.onnx"])
    arrays: dict[str, Any] = {"w": np.zeros((3, 4), np.float32), "b": np.zeros(4, np.int64)}
    seeds.one("npz", "m.npz", _saved_by(lambda stream: np.savez(stream, **arrays)))
    seeds.one("npz", "m.npz", _saved_by(lambda stream: np.savez_compressed(stream, **arrays)))
    seeds.one("npy", "m.npy", _saved_by(lambda stream: np.save(stream, arrays["w"])))
    table = np.zeros(3, np.dtype([("a", "<f4"), ("b", "<i8", (2,))]))
    seeds.one("npy", "m.npy", _saved_by(lambda stream: np.save(stream, table)))
    for version in ("earliest", "latest"):
        with h5py.File(scratch / "m.h5", "w", libver=version) as file:
            layers = file.create_group("model_weights")
            layers.attrs["layer_names"] = [b"dense"]
            layer = layers.create_group("dense")
            layer.attrs["weight_names"] = [b"dense/kernel:0", b"dense/bias:0"]
            layer["dense/kernel:0"] = np.zeros((3, 4), np.float32)
            layer["dense/bias:0"] = np.zeros(4, np.float32)
            layer["other"] = h5py.ExternalLink("../outside.h5", "/x")
            file.attrs["model_config"] = '{"class_name": "Sequential", "config": {"layers": []}}'
        seeds.one("hdf5", "m.h5", (scratch / "m.h5").read_bytes())


def _recorded(seeds: Seeds, scratch: Path) -> None:
    for library in ("keras", "tensorflow", "jax"):
        with zipfile.ZipFile(RECORDED / f"{library}.zip") as archive:
            archive.extractall(scratch / library)
    keras, tensorflow, jax = (scratch / library for library in ("keras", "tensorflow", "jax"))
    seeds.one("keras", "m.keras", (keras / "model.keras").read_bytes())
    seeds.one("hdf5", "m.weights.h5", (keras / "model.weights.h5").read_bytes())
    for path in sorted(jax.glob("*.msgpack")):
        if path.stat().st_size < 1 << 15:
            seeds.one("flax", "m.msgpack", path.read_bytes())
    for name in ("graph", "objects", "slots"):
        seeds.folder("tensorflow", tensorflow / name, lambda file: ".data-" not in file)
    seeds.folder("saved-model", tensorflow / "saved", lambda file: ".data-" not in file)
    for path in sorted(jax.iterdir()):
        if path.is_dir():
            seeds.folder("orbax", path, lambda file: True)
    for path in sorted((RECORDED / "deepspeed").iterdir()):
        seeds.folder("deepspeed", path, lambda file: True)


def write_seeds(root: Path) -> None:
    """Write every seed below a folder."""
    scratch = root / "scratch"
    scratch.mkdir(parents=True)
    seeds = Seeds(root)
    _torch(seeds, scratch)
    _safetensors(seeds)
    _small_formats(seeds, scratch)
    _recorded(seeds, scratch)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of torch, in a process of its own
    write_seeds(Path(sys.argv[1]))
