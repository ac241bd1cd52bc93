"""Model families: config.json to tensors and dimensions, and the presets."""
