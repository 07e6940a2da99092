"""A hint in words where the outcome of a run is odd: what is seen, why, and what to try."""


def hints(run, steps):
    """Sentences on a run that was to make `steps` steps; none where nothing is odd."""
    given, start = run.method.parameters, run.problem.start_size if run.problem.countable else None
    if run.n_steps == 0:
        return [_not_one(run, steps, start)]
    from coordboost._checks import typed
    from coordboost.solving import too_long

    words = too_long(run)
    found = [words.replace("Try eps=", "Try --eps ")] if words else []
    delta = given.get("delta")
    if start is not None and _is_number(delta) and run.problem.n_learners > 1 and len(run.final.support) <= 1 and not found:
        found.append(
            f"Only one coefficient moves, as delta = {delta:g} leaves no room for a second one: the best column alone would get "
            f"{start:.3g}. Try --delta {typed(2 * start)}."
        )
    lam = given.get("lam")
    if start is not None and _is_number(lam) and not len(run.final.support):
        found.append(
            f"No coefficient moves, as lam = {lam:g} is not below {start:.4g}, the largest correlation at the start. "
            f"Try --lam {typed(start / 10)}."
        )
    return found


def _not_one(run, steps, start):
    """Why a run has no steps."""
    if steps == 0:
        return "Not one step was made, as --steps 0 asks for none: this is the constant model."
    if start == 0:
        return "Not one step was made: no column is correlated with the target, so the constant model is the best one."
    return f"Not one step was made ({run.message}): this is the constant model."


def _is_number(value):
    return isinstance(value, int | float)
