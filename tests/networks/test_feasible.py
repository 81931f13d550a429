"""The constraints and bounds of a problem, which its layer keeps."""

import copy
import pickle
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import pytest
from network_layers import at, initialised, torch
from scipy.sparse.csgraph import dijkstra

from structsvm import Problem, WeightConstraints
from structsvm.problems import Multiclass
from structsvm.torch import StructuredHingeLoss

N = 5
PATHS = [(0, *inner, N - 1) for m in range(N - 1) for inner in permutations(range(1, N - 1), m)]


class Paths(Problem):
    """Shortest paths from the first of five places to the last; w weighs features of roads >= 0."""

    size_joint_feature = 3

    def joint_feature(self, x, y):
        return -x[list(y[:-1]), list(y[1:])].sum(axis=0)

    def loss(self, y, y_hat):
        roads, others = (set(pairwise(z)) for z in (y, y_hat))
        return len(roads ^ others) / (2 * N)

    def separation_oracle(self, x, y, w):
        return max(PATHS, key=lambda z: self.loss(y, z) + w @ self.joint_feature(x, z))

    def decode(self, x, w):
        _, before = dijkstra(np.maximum(x @ w, 1e-12), indices=0, return_predecessors=True)
        path = [N - 1]
        while path[0] != 0:
            path.insert(0, int(before[path[0]]))
        return tuple(path)

    def constraints(self):
        return WeightConstraints(lower=np.zeros(3))

    def initialize(self, X, Y):
        pass


class Unbounded(Paths):
    constraints = None


class Budgeted(Paths):
    """Weights whose sum is 1 at least, and of which the first is the largest."""

    def constraints(self):
        A = np.array([[-1.0, -1.0, -1.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
        return WeightConstraints(A, [-1.0, 0.0, 0.0], np.zeros(3))


def roads(seed=0, n=20):
    """Roads of which long ones are liked: the best weights are not all >= 0."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, N, N, 3))
    Y = [max(PATHS, key=lambda z: Paths().joint_feature(x, z) @ [1.0, -0.7, 0.3]) for x in X]
    return torch.tensor(X), Y


@cache
def trained(kind=Paths):
    """A layer in float64 after 60 steps."""
    X, Y = roads()
    layer = StructuredHingeLoss(kind(), reduction="none").double()
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(60):
        optimizer.zero_grad()
        layer(X, Y).mean().backward()
        optimizer.step()
    return layer


def losses(layer):
    """The loss of the layer, and that of its predictions, for each example."""
    X, Y = roads()
    with torch.no_grad():
        slacks = layer(X, Y).numpy()
    return slacks, np.array([Paths().loss(y, z) for y, z in zip(Y, layer.decode(X), strict=True)])


def test_the_loss_of_the_layer_bounds_that_of_its_predictions():
    slacks, found = losses(trained())
    assert np.all(found <= slacks + 1e-12) and found.mean() < 0.3
    # Without the bounds it would not.
    slacks, found = losses(trained(Unbounded))
    assert slacks.mean() < 0.1 < found.mean()


def test_w_is_projected_before_each_use_and_not_otherwise():
    X, Y = roads()
    layer = StructuredHingeLoss(Paths(), reduction="none").double()
    outside = torch.tensor([0.5, -1.0, 2.0])
    for use in (lambda: layer(X, Y), lambda: layer.decode(X), layer.state_dict, layer.project_):
        layer.w.data.copy_(outside)
        use()
        assert layer.w.tolist() == [0.5, 0.0, 2.0]
    version = layer.w._version
    layer(X, Y)
    assert layer.w._version == version


def test_gradients_at_a_feasible_w_are_those_without_constraints():
    X, Y = roads()
    found = []
    for problem in (Budgeted(), Unbounded()):
        layer = at(StructuredHingeLoss(problem), [0.5, 0.25, 0.25])
        (layer(X, Y) + layer(X[:3], Y[:3])).backward()
        found.append(layer.w.grad)
    assert found[0].any() and torch.equal(*found)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_linear_constraints_are_kept_in_any_precision(dtype):
    layer = StructuredHingeLoss(Budgeted()).to(dtype)
    torch.testing.assert_close(layer.w.detach(), torch.full((3,), 1 / 3, dtype=dtype))
    layer.w.data.copy_(torch.tensor([0.1, 0.9, -3.0]))
    layer.project_()
    torch.testing.assert_close(layer.w.detach(), torch.tensor([0.5, 0.5, 0.0], dtype=dtype))
    projected = layer.w.detach().clone()
    layer.project_()
    assert torch.equal(layer.w, projected)  # no step after the first


def test_what_is_saved_is_feasible_and_comes_back():
    layer = StructuredHingeLoss(Budgeted(), reduction="none").double()
    again, whole = StructuredHingeLoss(Budgeted()).double(), torch.nn.Sequential(layer)
    with torch.no_grad():
        layer.w -= 1.0
    again.load_state_dict({"w": whole.state_dict()["0.w"]})
    assert again.w.sum() >= 1 - 1e-12 and torch.equal(again.w, layer.w)
    for made in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        np.testing.assert_array_equal(losses(made), losses(layer))


@pytest.mark.parametrize("kind", [Paths, Budgeted])
def test_weights_of_a_network_that_violate_constraints_are_refused(kind):
    X, Y = roads()
    layer = StructuredHingeLoss(kind(), scores=True)
    w = torch.full((len(Y), 3), 1 / 3, dtype=torch.float64)
    layer((X, w), Y)
    w[4, 0] = -0.25 if kind is Paths else 0.1
    with pytest.raises(ValueError, match=rf"w\[4\] violates the constraints .* of {kind.__name__}"):
        layer((X, w), Y)
    with pytest.raises(ValueError, match="softplus"):
        layer.decode((X, w))
    with pytest.raises(ValueError, match=r"^w violates"):
        layer((X, w[4]), Y)
    layer.project_()  # of nothing


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("bound", [0.1, -1e-8])
def test_a_weight_just_below_its_bound_is_refused(bound, dtype):
    class Bounded(Paths):
        def constraints(self):
            return WeightConstraints(lower=np.full(self.size_joint_feature, bound))

    X, Y = roads()
    layer = StructuredHingeLoss(Bounded(), scores=True)
    w = torch.full((len(Y), 3), bound, dtype=dtype)
    layer((X.to(dtype), w), Y)
    w[2, 1] = torch.nextafter(w[2, 1], torch.tensor(-2.0, dtype=dtype))
    with pytest.raises(ValueError, match=r"w\[2\] violates"):
        layer((X.to(dtype), w), Y)


def test_a_w_that_functional_call_lends_is_not_changed():
    X, Y = roads()
    layer, w = StructuredHingeLoss(Paths()).double(), torch.tensor([1.0, -1.0, 0.0]).double()
    with pytest.raises(ValueError, match="violates the constraints or lower bounds"):
        torch.func.functional_call(layer, {"w": w}, (X, Y))
    assert w.tolist() == [1.0, -1.0, 0.0]


def test_scores_that_do_not_tell_w_are_refused():
    class Attractive(Multiclass):
        def constraints(self):
            return WeightConstraints(lower=np.zeros(self.size_joint_feature))

    problem = initialised(Attractive(), *Multiclass.example_data())
    with pytest.raises(ValueError, match="Attractive has constraints or lower bounds on w"):
        StructuredHingeLoss(problem, scores=True)
    layer = StructuredHingeLoss(problem)
    layer.w.data.fill_(-1.0)
    X, y = Multiclass.example_data()
    layer(torch.tensor(X).float(), y)
    assert not layer.w.any()
