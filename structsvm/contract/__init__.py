"""The contract between a structured prediction problem and the engine."""
