"""See structsvm/fitting, which takes the place of this folder."""
