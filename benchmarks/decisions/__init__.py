"""Decisions for predicted costs, compared with PyEPO and with predicting, then optimizing."""
