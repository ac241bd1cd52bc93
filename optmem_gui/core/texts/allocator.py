"""English templates: recorded memory snapshots, the allocator's settings, and what a replay found."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    # Settings of the allocator
    "allocator.setting_malformed": "{field}: {given} is not written as name:value pairs with commas between; write it as PyTorch takes it, such as expandable_segments:True",
    "allocator.setting_unknown": "{field}: no setting is called {name}; known are {known}",
    "allocator.setting_not_bool": "{field}: {name} is True or False, not {given}; write one of them",
    "allocator.setting_not_whole": "{field}: {name} is a whole number of at least {low}, not {given}; change it",
    "allocator.setting_not_ratio": "{field}: {name} lies between 0 and 1, not at {given}; change it",
    "allocator.setting_not_power": "{field}: {name} takes powers of two, not {given}; change it",
    "allocator.setting_backend": "{field}: the backend {given} is not the caching allocator that is modelled here; only native is",
    "allocator.setting_inconsistent": "the recording's own settings cannot be used: {name} is {given}; record it again with a released PyTorch",
    # Files
    "snapshot.unknown_format": "{file}: neither a pickle of torch.cuda.memory._dump_snapshot nor a .json.gz trace; choose one of these",
    "snapshot.unreadable": "{file}: cannot be read ({cause}); check the path and its permissions",
    "snapshot.empty_file": "{file}: the file is empty; record the snapshot again",
    "snapshot.too_large": "{file}: more than {limit_bytes}, too much for a snapshot; record fewer events (max_entries)",
    "snapshot.no_memory": "the snapshot needs more memory than this computer has free; record fewer events (max_entries)",
    "snapshot.truncated": "{file}: the file ends early or is damaged; copy it again",
    "snapshot.code": "{file}: contains code references: {names} - not executed; a snapshot has none, do not load this file",
    "snapshot.not_a_snapshot": "{file}: holds no {name}, so it is no memory snapshot; save one with torch.cuda.memory._dump_snapshot",
    "snapshot.bad_field": "{file}: {field} is not what a snapshot holds there; the file is damaged or hostile",
    "snapshot.too_many_devices": "{file}: more than {limit_count} devices; the file is damaged or hostile",
    "snapshot.too_many_events": "{file}: more than {limit_count} events; record fewer events (max_entries)",
    "snapshot.too_many_blocks": "{file}: more than {limit_count} blocks; record fewer events (max_entries)",
    "snapshot.too_many_pages": "{file}: more than {limit_count} pages mapped and unmapped; record fewer events (max_entries)",
    "snapshot.too_many_instructions": "{file}: more than {limit_count} instructions; record fewer events (max_entries)",
    "snapshot.unknown_action": "{file}: event {index} has the action {action}, which is not known; a newer version may read it",
    "snapshot.segment_not_tiled": "{file}: the blocks of the segment at {address} do not add up to its {size_count} bytes; the file is damaged",
    "snapshot.segments_overlap": "{file}: the segments at {first} and {second} overlap; the file is damaged",
    "snapshot.segments_contradict": "event {index} makes two segments lie over each other; the file is damaged or was put together from several",
    "snapshot.no_device": "{file}: nothing was recorded for device {device}; recorded are {known}",
    "snapshot.nothing_recorded": "{file}: no device has a segment or an event; call _record_memory_history before the run",
    # Whether the state before the first event is known
    "replay.start_known": "every block that was alive when the recording began has its size in the recording",
    "replay.start_settled": "the sizes of {count} blocks that were alive when the recording began follow from where later allocations went",
    "replay.start_block_sizes": "{count} blocks that were alive when the recording began were freed in it before anything showed where they end; up to {uncertain_bytes} of them is unknown",
    "replay.start_contradicts": "{count} events do not lead to the state at the end; parts of the recording are missing",
    "replay.start_no_settings": "the recording does not say which allocator settings it was made with",
    "replay.start_layout": "the recording began after expandable segments were mapped; where their address range begins is taken from the lowest address seen",
}
