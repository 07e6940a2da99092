"""Corrupted run files: an error in one sentence, or a valid run; nothing else, no more memory than
usual, no half-written file.
"""

import os
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from run_files import forged, header_of, put_together, spoiled, taken_apart, with_header

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(1)
X = RNG.normal(size=(30, 250))
Y = RNG.normal(size=30)
SPARSE = scipy.sparse.csc_array(np.where(X[:, :9] > 0.5, X[:, :9], 0))
PROBLEMS = {
    "dense": (Problem(X, Y), cb.forward_stagewise(0.05), 60),
    "sparse": (
        Problem(SPARSE, Y, cb.losses.Huber(0.5), groups=[0, 0, 1, 1, 2, 2, 2, 3, 3]),
        cb.rtgcd(select=cb.rules.Groups(2)),
        30,
    ),
    "path": (
        Problem(X[:, :5], Y, sample_weight=np.linspace(1, 2, 30)),
        cb.path_forward_stagewise(0.1, np.geomspace(1, 2, 40)),
        40,
    ),
    "plain": (
        Problem(X[:, :4], np.sign(Y), cb.losses.Logistic()),
        cb.methods.gcd(cb.rules.LineSearch()),
        12,
    ),
    "trees": (Problem(cb.data.trees(X[:, :4], max_depth=2), Y), cb.gbm(0.1), 12),
}


def saved(folder):
    """The bytes of a valid file for each problem."""
    out = []
    for name, (problem, method, n_steps) in PROBLEMS.items():
        cb.solve(problem, method, n_steps, rng=2).save(folder / name)
        data = (folder / name).read_bytes()
        out += [data]
    return out


def arrays_of(problem):
    """The arrays of a dictionary."""
    if problem.countable:
        return problem.dictionary
    saved = problem.dictionary.saved(problem.n_learners)
    return [*saved.binned, *saved.growth, saved.penalty, saved.newton, *saved.trees]


def all_of(run):
    """Everything that defines a run."""
    problem = run.problem
    parts = [
        run.path.learner,
        run.path.shrink,
        run.path.theta,
        run.beta,
        problem.y,
        problem.weight,
        *problem.standardization,
    ]
    parts = [np.asarray(part).tobytes() for part in [*parts, *arrays_of(problem)]]
    plain = [
        run.anchor,
        run.counts,
        run.seed,
        run.model_state,
        run.status,
        run.message,
        run.seconds,
        run.method.name,
    ]
    return parts, repr(
        [
            *plain,
            run.method.step,
            run.method.select,
            problem.loss,
            problem.feature_names,
            problem.dropped,
        ]
    )


def peak(action):
    """The result of `action`, or the ValueError that it raises, and its peak memory."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        out = action()
    except ValueError as error:
        out = error
    return out, tracemalloc.get_traced_memory()[1] - before


def check_spoiled(n_files, seed, folder):
    """Load `n_files` corrupted files; count those refused, those equal to the original, and other
    valid runs (forged).
    """
    bases = saved(folder)
    file = folder / "spoiled"
    originals = []
    most = []
    tracemalloc.start()
    try:
        for data in bases:
            file.write_bytes(data)
            cb.load(file)
            run, used = peak(lambda: cb.load(file))
            originals.append(all_of(run))
            most.append(2 * used)
        counts = {"refused": 0, "same": 0, "forged": 0}
        for base, way, data in spoiled(bases, n_files, seed):
            file.write_bytes(data)
            out, used = peak(lambda: cb.load(file))
            if used > most[base]:  # memory for the first compilation for some types does not count
                out, used = peak(lambda: cb.load(file))
            assert used <= most[base], (way, used, most[base])
            if isinstance(out, ValueError):
                kind = "refused"
                text = str(out)
                assert (
                    type(out) is ValueError
                    and text.endswith(".")
                    and "\n" not in text
                    and "spoiled" in text
                ), (way, text)
            else:
                kind = "same" if all_of(out) == originals[base] else "forged"
                assert kind == "same" or way.__name__ in ("spoil_values", "spoil_arrays"), way
            if kind == "forged":  # another run, but a valid one that can be used
                out.final.certificate(cb.certificates.L1Ball(1.0))
                out.resume(0)
            counts[kind] += 1
    finally:
        tracemalloc.stop()
    return counts


def test_spoiled_files(tmp_path):
    counts = check_spoiled(300, 0, tmp_path)
    assert counts["refused"] > 200


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_spoiled_files(seed, tmp_path):
    print(check_spoiled(1000, 1 + seed, tmp_path))


def test_forged_digests_are_accepted(tmp_path):
    """Otherwise corrupted files would be refused for their digests alone."""
    for data in saved(tmp_path):
        (tmp_path / "file").write_bytes(put_together(forged(taken_apart(data))))
        first = cb.load(tmp_path / "file")
        (tmp_path / "file").write_bytes(data)
        assert all_of(first) == all_of(cb.load(tmp_path / "file"))


@pytest.mark.parametrize(
    "key, value", [("seed", 3), ("message", "other"), ("seconds", 1.0), ("status", "STOPPED")]
)
def test_a_changed_entry_is_noticed(key, value, tmp_path):
    members = taken_apart(saved(tmp_path)[0])
    (tmp_path / "file").write_bytes(
        put_together(with_header(members, {**header_of(members), key: value}))
    )
    with pytest.raises(ValueError, match="damaged"):
        cb.load(tmp_path / "file")


@pytest.mark.parametrize("version", ["2", None, 2.0, True, [2], 0, -1, 99])
def test_a_version_must_be_a_known_whole_number(version, tmp_path):
    """Even with valid digests."""
    members = taken_apart(saved(tmp_path)[0])
    (tmp_path / "file").write_bytes(
        put_together(forged(members, {**header_of(members), "version": version}))
    )
    with pytest.raises(ValueError, match="version"):
        cb.load(tmp_path / "file")


def test_save_follows_links_and_keeps_devices(tmp_path):
    problem, method, n_steps = PROBLEMS["plain"]
    run = cb.solve(problem, method, n_steps)
    (tmp_path / "link").symlink_to(tmp_path / "run")
    run.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and all_of(cb.load(tmp_path / "run")) == all_of(
        cb.load(tmp_path / "link")
    )
    run.save(os.devnull)
    assert not os.path.isfile(os.devnull)
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_file_is_on_the_disk_before_it_replaces_another(tmp_path, monkeypatch):
    """All data are written before the file is synchronised with the disk; only then it gets its
    name.
    """
    problem, method, n_steps = PROBLEMS["plain"]
    sizes = []
    monkeypatch.setattr(
        os, "fsync", lambda number: sizes.append((os.fstat(number).st_size, os.listdir(tmp_path)))
    )
    cb.solve(problem, method, n_steps).save(tmp_path / "run")
    ((size, (name,)),) = sizes
    assert (
        size == (tmp_path / "run").stat().st_size
        and name != "run"
        and os.listdir(tmp_path) == ["run"]
    )
