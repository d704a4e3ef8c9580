"""Attacks on `ldnn`: forged model files, strange calls, strange tables, signals. `python -m fuzz`; not installed."""
