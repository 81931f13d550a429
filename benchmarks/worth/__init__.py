"""What prediction sets, confidence and suggestions are worth, on real data."""
