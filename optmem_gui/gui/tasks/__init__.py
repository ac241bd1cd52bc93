"""Work off the UI thread."""
