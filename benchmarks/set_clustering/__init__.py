"""Benchmarks of supervised clustering."""
