"""The names that users import, each with the thing it stands for."""

import importlib
from importlib.util import find_spec

import structsvm
import structsvm.check
import structsvm.datasets
import structsvm.displays
import structsvm.features
import structsvm.problems
import structsvm.problems.decisions.optimizers
from structsvm.check import CheckReport, Finding
from structsvm.networks import TensorInference
from structsvm.planes import SupportPlane
from structsvm.results.verification import Verification

MODULES = (
    structsvm, structsvm.problems, structsvm.problems.decisions.optimizers, structsvm.features,
    structsvm.datasets, structsvm.displays,
)  # fmt: skip

PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if callable(getattr(module, name))
} | {
    "structsvm.check.problem_checks": structsvm.check.problem_checks,
    "structsvm.check.CheckReport": CheckReport,
    "structsvm.check.Finding": Finding,
    "structsvm.planes.SupportPlane": SupportPlane,
    "structsvm.networks.TensorInference": TensorInference,
    "structsvm.results.verification.Verification": Verification,
}

#: The names of the layers, which cannot be imported without PyTorch.
LAYERS = {
    "structsvm.torch",
    "structsvm.torch.PerturbedFenchelYoungLoss",
    "structsvm.torch.StructuredHingeLoss",
}
if find_spec("torch"):
    module = importlib.import_module("structsvm.torch")
    PUBLIC |= {f"structsvm.torch.{name}": getattr(module, name) for name in module.__all__}
