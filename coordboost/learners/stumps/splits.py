"""The list of all splits of single features in two parts."""

import numpy as np

#: Length of an array over the bins of a feature: a code is a byte.
PLACES = 256


def splits_of(binned, weight):
    """List the splits of all features.

    Parameters
    ----------
    weight : (n_samples,)

    Returns
    -------
    feature, first, last, extra : int64 (n_learners,)
    begin : int64 (n_features + 1,)
    inside, outside : (n_learners,)
        The weights of the part and of its complement, both above 0.

    Raises
    ------
    ValueError
        If a sample has a code that is no bin of its feature.
    """
    shares = np.array([np.bincount(row, weight, PLACES) for row in binned.codes])
    beyond = np.flatnonzero(
        ((np.arange(PLACES) >= binned.n_bins[:, None]) & (shares > 0)).any(axis=1)
    )
    if len(beyond):
        raise ValueError(f"Binned needs codes below n_bins; feature {beyond[0]} has larger ones.")
    features = [
        _splits_of_feature(share[:n_bins], int(missing), bool(categorical))
        for share, n_bins, missing, categorical in zip(
            shares, binned.n_bins, binned.missing, binned.categorical, strict=True
        )
    ]
    begin = np.cumsum([0, *[len(result[0]) for result in features]])
    feature = np.repeat(np.arange(len(features)), np.diff(begin))
    first, last, extra, inside, outside = (
        np.concatenate(fields) for fields in zip(*features, strict=True)
    )
    return feature, first, last, extra, begin, inside, outside


def _splits_of_feature(share, missing, categorical):
    """Return first, last, extra, inside, outside for the splits of one feature.

    `share` (n_bins,) are the weights of its bins.
    """
    if categorical:
        used = np.flatnonzero(share > 0)
        # with two categories, the two learners differ only in sign
        used = used[: 0 if len(used) == 1 else 1 if len(used) == 2 else None]
        others = np.array([share[:b].sum() + share[b + 1 :].sum() for b in used])
        return used, used, np.full(len(used), -1), share[used], others
    ordered = share if missing < 0 else share[:missing]
    below = np.cumsum(ordered)
    above = np.cumsum(ordered[::-1])[::-1]
    used = np.flatnonzero(ordered > 0)
    inner = used[:-1]  # cuts after these bins: something remains on the right
    gap = 0.0 if missing < 0 else share[missing]
    right = inner if gap == 0 or len(used) == 0 else used  # the last split: missing or not
    left = inner if gap > 0 else inner[:0]
    others = np.append(above, 0.0)
    return (
        np.zeros(len(right) + len(left), dtype=np.int64),
        np.concatenate([right, left]),
        np.repeat([-1, missing], [len(right), len(left)]),
        np.concatenate([below[right], below[left] + gap]),
        np.concatenate([others[right + 1] + gap, others[left + 1]]),
    )


def check_splits(self):
    """Raise a ValueError unless the fields of a piece are splits of its bins.

    Kernels do not check these indices.

    Raises
    ------
    ValueError
        Says what the fields must be.
    """
    kind = type(self).__name__
    n = len(self.feature)
    d = self.binned.n_features
    first = self.first
    last = self.last
    extra = self.extra
    begin = self.begin
    whole = (self.feature, first, last, extra)
    if any(
        getattr(array, "dtype", None) != np.int64 or array.ndim != 1 for array in (*whole, begin)
    ):
        raise ValueError(f"{kind} needs feature, first, last, extra and begin of int64.")
    sound = (
        {len(array) for array in (*whole, self.scale, self.shift)} == {n}
        and n > 0
        and len(begin) == d + 1
        and begin[0] == 0
    )
    sound = (
        sound
        and (np.diff(begin) >= 0).all()
        and np.array_equal(self.feature, np.repeat(np.arange(d), np.diff(begin)))
    )
    if not sound:
        raise ValueError(
            f"{kind} needs at least one learner, learners sorted by feature, and arrays with one "
            "entry per learner."
        )
    n_bins = self.binned.n_bins[self.feature]
    missing = self.binned.missing[self.feature]
    known = (first >= 0) & (first <= last) & (last < n_bins) & ((first == 0) | (first == last))
    if not (known & ((extra == -1) | ((extra == missing) & (first == 0) & (last < extra)))).all():
        raise ValueError(
            f"{kind} needs parts that begin with the first bin or are a single bin, within the "
            "bins of the feature."
        )
    if not (
        np.isfinite(self.scale).all() and np.isfinite(self.shift).all() and (self.scale != 0).all()
    ):
        raise ValueError(f"{kind} needs finite scale and shift, scale not 0.")
