"""Side by side with other people's code, and what parts of training are worth: `python -m benchmarks.NAME`."""
