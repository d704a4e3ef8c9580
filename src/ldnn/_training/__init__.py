"""Epochs of stochastic gradient descent, validation, threads, progress."""
