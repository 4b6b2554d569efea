"""Measurements: `python -m benchmarks.quality` (are the answers right?) and `python -m benchmarks.speed` (how fast?).

Needs the extra ``bench``; `make bench` and `make bench-quick` set that up by themselves.
"""
