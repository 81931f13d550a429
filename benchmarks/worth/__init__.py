"""Prediction sets, confidence and suggestions on real data."""
