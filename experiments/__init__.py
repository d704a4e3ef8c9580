"""What `reproduction` and `benchmarks` share, so that neither imports the other.

paper.py has the numbers that the paper prints, splits.py the data sets with their training, validation and test rows,
plain_network.py the parameters of the paper's plain network, records.py the files of results, machine.py the
description of the computer, and timing.py the clocks.
"""
