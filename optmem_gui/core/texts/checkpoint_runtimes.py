"""English templates: checkpoints of Keras, TensorFlow, Flax and Orbax."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    # HDF5 and Keras
    "checkpoint.not_hdf5": "{file}: no HDF5 signature in it, so no .h5 file; download it again",
    "checkpoint.hdf5_version": "{file}: HDF5 superblock {version} is newer than 3, the last that is known; save it with an older h5py",
    "checkpoint.hdf5_damaged": "{file}: the HDF5 metadata makes no sense at byte {position_count}; download the file again",
    "checkpoint.hdf5_too_large": "{file}: its HDF5 metadata takes more than {limit_bytes} to read; the file is damaged or hostile",
    "checkpoint.hdf5_objects": "{file}: more than {limit_count} groups and data sets; this is no checkpoint",
    "checkpoint.keras_no_weights": "{file}: a zip without {record}, not written by Keras 3; save the model again",
    "checkpoint.keras_compressed": "{file}: {record} is compressed inside the zip, so its header cannot be read alone; unzip it and open {record}",
    "checkpoint.keras_lambda": "Lambda layers hold Python code ({names}): not executed. Loading this file in Keras would run it.",
    "checkpoint.hdf5_plain": "HDF5 without Keras's layout: each of its {count} data sets counts as a tensor.",
    "checkpoint.hdf5_data_external": "The data of {count} data sets are not in this file (the first, {name}, has them in another file); they count by their shapes.",
    "checkpoint.hdf5_data_virtual": "The data of {count} data sets are not in this file (the first, {name}, is a view of others); they count by their shapes.",
    "checkpoint.hdf5_data_unwritten": "The data of {count} data sets are not in this file (those of the first, {name}, were never written); they count by their shapes.",
    "checkpoint.hdf5_data_cut": "The data of {count} data sets are not in this file (those of the first, {name}, are cut off); they count by their shapes.",
    "checkpoint.hdf5_links": "{count} links were not followed ({names}): they may lead out of the file.",
    "checkpoint.hdf5_no_numbers": "{count} data sets hold no numbers and do not count: {names}.",
    # TensorFlow
    "checkpoint.not_tensor_bundle": "{file}: not the index of a TensorFlow checkpoint (its last bytes are wrong); copy it again",
    "checkpoint.tensor_bundle_damaged": "{file}: the index of variables is damaged; copy it again",
    "checkpoint.tensor_bundle_compressed": "{file}: the index is compressed in a way that is not known; save the checkpoint again",
    "checkpoint.tensor_bundle_big_endian": "{file}: written on a big-endian machine; save it again on another",
    "checkpoint.tensor_bundle_text": "{count} variables hold text or resources and do not count.",
    "checkpoint.frozen_graph": "{file}: a TensorFlow graph without variables beside it (frozen for inference); open the checkpoint or SavedModel it was made from",
    "checkpoint.no_latest": "{file}: names no checkpoint (model_checkpoint_path is missing); choose an .index file",
    "checkpoint.data_files_missing": "{missing_count} of {total_count} data files missing: {names}. The counts are from the index.",
    # Flax and Orbax
    "checkpoint.msgpack_damaged": "{file}: not the msgpack of a Flax model at byte {position_count} (cut short or damaged); download it again",
    "checkpoint.msgpack_too_many": "{file}: more than {limit_count} entries; this is no checkpoint",
    "checkpoint.array_types_unknown": "{count} arrays of unknown element types do not count: {names}.",
    "checkpoint.ocdbt_damaged": "{file}: the OCDBT store is damaged or of a newer format; copy the folder again",
    "checkpoint.ocdbt_numbered": "{file}: its versions are kept in numbered files, which is not read; save the checkpoint again with Orbax",
    "checkpoint.ocdbt_cut": "{file}: {missing_bytes} of this data file are missing; copy the folder again",
    "checkpoint.ocdbt_too_large": "{file}: more than {limit_count} entries; the store is damaged or hostile",
    "checkpoint.zarr_bad": "{file}: {name} is no Zarr description of an array; copy the folder again",
    "checkpoint.orbax_no_arrays": "{file}: an Orbax folder without arrays; choose the step or item folder that holds them",
    "checkpoint.orbax_absent": "{count} arrays that _METADATA names are not there (the first is {name}); the count is partial.",
    "checkpoint.orbax_shapes_only": "No array is there: the shapes of {count} arrays come from _METADATA, which holds no element types.",
}
