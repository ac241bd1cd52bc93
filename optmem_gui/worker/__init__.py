"""The child process that imports torch; it never imports Qt."""
