"""Files from public repositories and bug reports, with the counts that are right for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from tests.checkpoints.builders import codes, refusal

# file or folder: parameters, elements of buffers, one warning that must be there
READ: dict[str, tuple[int, int, str]] = {
    "synthetic/bad_586_tied_same_range.safetensors": (4, 0, "shared_range"),
    "synthetic/bad_truncated_2_bytes.safetensors": (0, 4, "truncated"),
    "synthetic/ok_100000_byte_header.safetensors": (2, 0, ""),
    "synthetic/ok_f4_e8m0.safetensors": (64, 0, "auxiliary"),
    "synthetic/ok_f6.safetensors": (16, 0, ""),
    "synthetic/ok_fnuz_c64_u16.safetensors": (8 + 8 + 2, 4 + 1 + 3, ""),
    "synthetic/ok_leading_ws.safetensors": (0, 0, "no_tensors"),
    "synthetic/ok_metadata_empty.safetensors": (4, 0, ""),
    "synthetic/ok_null_metadata.safetensors": (1, 0, ""),
    "synthetic/ok_scaled_fp8_empty.safetensors": (16, 0, "auxiliary"),
    "synthetic/ok_unsorted_header.safetensors": (8, 0, ""),
    "synthetic/ok_zero_size.safetensors": (0, 0, "no_weights"),
    "synthetic/gguf_ok_bigendian.gguf": (16, 0, ""),
    "synthetic/gguf_ok_q4k_mxfp4.gguf": (640, 0, "gguf_blocks"),
    "synthetic/gguf_ok_v1_f32.gguf": (16, 0, ""),
    "synthetic/gguf_ok_v2_f32.gguf": (16, 0, ""),
    "synthetic/gguf_ok_v3_f32.gguf": (16, 0, ""),
    "synthetic/gguf_unknown_type4242.gguf": (512, 0, "gguf_unknown_type"),
    "synthetic/pt_bad_calls_builtin_print.pt": (0, 0, "code_references"),
    "synthetic/pt_ok_expanded_stride0.pt": (1_000_000, 0, "expanded_view"),
    "synthetic/pt_ok_module_prefix.pt": (55, 0, ""),
    "synthetic/pt_ok_slice_of_big_storage.pt": (10, 0, "view_of_storage"),
    "synthetic/pt_ok_tied.pt": (1010, 0, ""),
    "synthetic/pt_ok_zero3_empty.pt": (0, 0, "partitioned"),
    "synthetic/pt_ok_fp8_u16_kinds.pt": (8, 8, ""),
    "synthetic/q_bnb_nf4": (8320, 0, "packed_weights"),
    "synthetic/q_fp8_deepseek": (33024, 0, "auxiliary"),
    "synthetic/q_gptq_4bit": (8320, 0, "packed_weights"),
    "synthetic/sh_consolidated_and_shards": (2010, 0, "files_ignored"),
    "synthetic/sh_extra_stray_file": (2010, 0, "files_ignored"),
    "synthetic/sh_missing_shard": (1000, 0, "shards_missing"),
    "synthetic/sh_ok": (2010, 0, ""),
    "synthetic/sh_total_size_wrong": (2010, 0, "index_total_size"),
    "synthetic/sh_total_size_zero": (2010, 0, "index_no_total"),
    "keras/safe_model.h5": (0, 0, "no_tensors"),
    "tensorflow/saved_model_half_plus_two_cpu/00000123": (5, 0, ""),
    "tensorflow/saved_model_half_plus_two_tf2_cpu/00000123": (3, 0, ""),
    "torch_burn/legacy_shared_storage.pt": (40, 0, ""),
    "torch_burn/legacy_with_offsets.pt": (20, 0, ""),
    "torch_burn/legacy_uncloned_views.pt": (20, 0, "view_of_storage"),
    "torch_burn/simple_legacy.pt": (8, 2, ""),
    "torch_burn/checkpoint.pt": (93, 0, "optimizer_differs"),
    "torch_burn/tests_batch_norm2d.pt": (10, 11, ""),
    "torch_burn/tests_top_level_key.pt": (18, 0, ""),
    "torch_burn/tests_weights_with_config.pt": (21, 0, ""),
    "torch_burn/nested_dict.pt": (20, 0, ""),
    "torch_burn/parameter.pt": (9, 0, ""),
    "torch_burn/mixed_types.pt": (4, 4, ""),
    "torch_burn/int8.pt": (0, 4, "no_weights"),
    "torch_burn/mnist.pt": (376_870, 70, ""),
    "torch_misc/torchtune_tiny_fair_checkpoint.pt": (89_504, 0, ""),
    "onnx/empty_graph.onnx": (0, 0, "no_tensors"),
    "onnx/external_data.onnx": (20, 0, ""),
    "onnx/external_data_offset.onnx": (6, 0, ""),
    "onnx/multi_external_files.onnx": (20, 0, ""),
    "candle/test.npy": (0, 10, "no_weights"),
    "candle/test.npz": (0, 20, "no_weights"),
    "candle/test_with_key.pt": (0, 8, "no_weights"),
    "lightning/aegnn_last.ckpt": (30_354, 353, "other_tensors"),
    "lora_movies": (294_912, 0, "adapter_only"),
    "safetensors/burn_multi_layer.safetensors": (4232, 9, ""),
    "bigmodels/llama-3.1-8b": (8_030_261_248, 0, "config_only"),
    "bigmodels/llama-3.1-70b": (70_553_706_496, 0, "config_only"),
    "bigmodels/deepseek-v3": (671_026_419_200, 0, "config_only"),
    "bigmodels/t5-xxl": (11_135_332_352, 0, "config_only"),
    "bigmodels/mistral-small-3.2-24b": (24_011_361_280, 0, "text_activations_only"),
}

REFUSED: dict[str, str] = {
    "synthetic/bad_401_dup_key.safetensors": "duplicate_name",
    "synthetic/bad_7_bytes.safetensors": "shorter_than_length",
    "synthetic/bad_absurd_dims_hfjs.safetensors": "size_mismatch",
    "synthetic/bad_deep_nesting.safetensors": "nested_too_deeply",
    "synthetic/bad_empty.safetensors": "empty_file",
    "synthetic/bad_header_len_1000_abuse1.safetensors": "header_cut",
    "synthetic/bad_header_len_huge.safetensors": "not_safetensors",
    "synthetic/bad_lfs_pointer.safetensors": "lfs_pointer",
    "synthetic/bad_not_json.safetensors": "header_not_json",
    "synthetic/bad_only_8_bytes.safetensors": "ends_after_length",
    "synthetic/bad_plausible_16T_f4.safetensors": "data_absent",
    "synthetic/bad_root_is_list.safetensors": "header_not_object",
    "synthetic/bad_shape_overflow_u64.safetensors": "bad_shape",
    "synthetic/pt_bad_no_data_pkl.pt": "zip_no_pickle",
    "synthetic/pt_bad_truncated.pt": "zip_no_directory",
    "torch_burn/broken.pt": "not_torch",
    "gguf/ggml-vocab-phi-3.gguf": "header_senseless",  # a copy with its bytes beyond ASCII replaced
    "synthetic/gguf_bad_cannot_fit.gguf": "data_absent",
    "synthetic/gguf_bad_ndims_ffffffff.gguf": "too_many_dimensions",
    "synthetic/gguf_bad_tensor_count_bomb.gguf": "gguf_counts",
    "synthetic/gguf_bad_u64max.gguf": "tensor_too_large",
    "synthetic/gguf_old_ggml_magic.gguf": "other_format",
    "tensorflow/half_plus_two.tflite": "other_format",
}


@pytest.fixture(scope="module")
def files(reference_data: Path) -> Path:
    return reference_data / "cases" / "files"


@pytest.mark.parametrize("name", list(READ))
def test_files_that_are_read(files: Path, name: str) -> None:
    params, buffers, warning = READ[name]
    checkpoint = open_checkpoint(files / name)
    assert (checkpoint.param_count, checkpoint.buffer_count) == (params, buffers)
    assert checkpoint.spec.param_count == checkpoint.ref.param_count == params
    assert warning in codes(checkpoint) if warning else not codes(checkpoint)


@pytest.mark.parametrize("name", list(REFUSED))
def test_files_that_are_refused(files: Path, name: str) -> None:
    assert refusal(files / name).code.partition(".")[2] == REFUSED[name]


def test_the_lightning_file_shows_adam_for_its_trainable_parameters(files: Path) -> None:
    checkpoint = open_checkpoint(files / "lightning" / "aegnn_last.ckpt")
    assert checkpoint.tensor_count == 72
    assert checkpoint.optimizer is not None
    assert (checkpoint.optimizer.kind, checkpoint.optimizer.element_count) == ("adam", 60_708)
    assert checkpoint.optimizer.param_count == 30_354


def test_every_file_is_read_or_refused_in_one_line(files: Path) -> None:
    seen = 0
    for path in sorted(files.rglob("*")):
        seen += 1
        try:
            checkpoint = open_checkpoint(path)
        except UserError as error:
            assert "\n" not in str(error)  # noqa: PT017  # reading is fine too
        else:
            assert checkpoint.ref.param_count == checkpoint.param_count
    assert seen > 100
