"""The networks: where their half-spaces start, their outputs, calibration, and everything that a fit leaves behind."""
