"""Solvers for ``IntegerProgram(solver=...)``: a function for each library.

Each maximises ``scores @ y`` over 0/1 vectors y with ``constraint.lb <= A y <= constraint.ub``, and
is given a solution to start from, or None. The programs are solved to the optimum, so that the
oracle is exact.
"""

import numpy as np


def scip(scores, constraint, start):
    """SCIP by PySCIPOpt."""
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    y = [model.addVar(vtype="B", obj=score) for score in scores]
    model.setMaximize()
    for low, row, high in rows(constraint):
        total = quicksum(value * y[j] for j, value in row)
        if np.isfinite(low):
            model.addCons(total >= low)
        if np.isfinite(high):
            model.addCons(total <= high)
    if start is not None:
        known = model.createSol()
        for variable, value in zip(y, start, strict=True):
            model.setSolVal(known, variable, value)
        model.addSol(known)
    model.optimize()
    return [model.getVal(variable) for variable in y]


def or_tools(scores, constraint, start):
    """OR-tools, with the SCIP that comes with it; its CP-SAT takes only integer coefficients."""
    from ortools.linear_solver import pywraplp

    model = pywraplp.Solver.CreateSolver("SCIP")
    y = [model.BoolVar(str(j)) for j in range(len(scores))]
    for low, row, high in rows(constraint):
        model.Add(model.Sum([value * y[j] for j, value in row]) >= max(low, -model.infinity()))
        model.Add(model.Sum([value * y[j] for j, value in row]) <= min(high, model.infinity()))
    model.Maximize(model.Sum([float(score) * v for score, v in zip(scores, y, strict=True)]))
    if start is not None:
        model.SetHint(y, start.astype(float).tolist())
    exact = pywraplp.MPSolverParameters()
    exact.SetDoubleParam(exact.RELATIVE_MIP_GAP, 0.0)
    model.Solve(exact)
    return [variable.solution_value() for variable in y]


def ilpy_solver(scores, constraint, start):
    """Gurobi or SCIP, whichever ilpy finds; it takes no solution to start from."""
    import ilpy

    solver = ilpy.Solver(len(scores), ilpy.VariableType.Binary)
    objective = ilpy.Objective()
    for j, score in enumerate(scores):
        objective.set_coefficient(j, -score)  # it minimises
    solver.set_objective(objective)
    for low, row, high in rows(constraint):
        for relation, bound in ((ilpy.Relation.GreaterEqual, low), (ilpy.Relation.LessEqual, high)):
            if np.isfinite(bound):
                bounded = ilpy.Constraint.from_coefficients(dict(row), (), relation, bound)
                solver.add_constraint(bounded)
    return list(solver.solve())


def gurobi(scores, constraint, start):
    """Gurobi by gurobipy, which without a licence takes 2000 variables at most."""
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
        y = model.addMVar(len(scores), vtype="B")
        for bound, sign in ((constraint.ub, 1), (constraint.lb, -1)):
            finite = np.isfinite(bound)
            if finite.any():
                model.addConstr(sign * constraint.A.tocsr()[finite] @ y <= sign * bound[finite])
        model.setObjective(scores @ y, gurobipy.GRB.MAXIMIZE)
        model.Params.MIPGap = 0
        if start is not None:
            y.Start = start
        model.optimize()
        return y.X


def rows(constraint):
    """The rows of a constraint: lower bound, pairs of variable and coefficient, upper bound."""
    A = constraint.A.tocsr()
    for i, (low, high) in enumerate(zip(constraint.lb, constraint.ub, strict=True)):
        places = slice(A.indptr[i], A.indptr[i + 1])
        terms = zip(A.indices[places].tolist(), A.data[places].tolist(), strict=True)
        yield float(low), list(terms), float(high)
