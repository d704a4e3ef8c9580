"""Benchmarks of speed and of errors, beside other classifiers: `python -m benchmarks.bench`."""
