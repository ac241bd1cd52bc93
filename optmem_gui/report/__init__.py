"""What leaves the program: files and tables."""
