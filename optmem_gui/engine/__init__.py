"""The parent's side of measuring: workers and NVML."""
