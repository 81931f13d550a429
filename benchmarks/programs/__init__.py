"""Integer programs with learned scores: cell tracking on synthetic movies."""
