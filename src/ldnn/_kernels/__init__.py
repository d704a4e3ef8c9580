"""The compiled loops. Only Numba lives here."""
