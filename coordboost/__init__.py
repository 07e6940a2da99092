"""Boosting as convex optimisation over the coefficients of a matrix of weak learners.

    problem = cb.Problem(X, y)                             a table, a matrix B, or learners made
                                                           from a table
    run = cb.solve(problem, cb.ls_boost(0.1), 200)         200 steps of a method, as a path
    run.certificate()                                      an interval that holds the optimum
    path = cb.lasso_path(X, y)                             the Lasso, with a certified gap at each
                                                           penalty

The top level has the scikit-learn estimators, the boosting methods, `Problem`, `solve`, `iterate`,
`load`, `read_table`, `lasso_path`, `exact_path`, `cross_validate`, `certify` and `html_report`.
Everything else is in submodules:

    cb.losses             Squared, Logistic, Huber, Poisson, Gamma, Quantile, ...; Loss for your own
    cb.learners           Dense, Sparse, Oracle, Stumps; Learners for your own
    cb.data               trees(X), stumps(X), leaf_stumps(X), open_columns(files), Table
    cb.rules              Greedy, RandomSubset, Groups, FixedStep, LineSearch, ...; SelectionRule
                          and StepRule for your own
    cb.methods            all named methods, coordinate descent and Frank-Wolfe among them
    cb.engine             Run, model states, stop rules (GapBelow, NoProgress, TimeLimit)
    cb.certificates       Unconstrained, L1Ball, L1Penalty, Certificate
    cb.lasso              lasso_path, exact_path, PathPoint, convert_penalty
    cb.model_selection    cross_validate, stability_selection
    cb.estimators         the estimators, and export to LightGBM's model format
    cb.theory             check(run), bounds, mca (minimal cosine angle), plan, worst_case, langevin
    cb.plots              pictures of paths, gaps, bounds, trees
    cb.testing            check_piece: tests that your own loss, rule or learner meets the interface

A name is loaded when it is first used.
"""

from coordboost._utils.lazy import attach_stub

__version__ = "0.2.0"
__getattr__, __dir__, _ = attach_stub(__name__, __file__)
