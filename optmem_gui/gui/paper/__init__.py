"""Results on paper: drawn as vectors, light whatever the window's theme, for PDF, SVG and PNG alike."""
