"""Histograms: the sums of the fixed targets of a node over the bins of its features.

A histogram has one entry for each bin, or two where there are two channels (see fixed.py). Four features share the reading of a row::

    rows  fixed     codes[0][row]  codes[1][row]  codes[2][row]  codes[3][row]
     4     17  --->    3              0              255             1             bins[0][3] += 17, bins[1][0] += 17, ...
     7    -20  --->    3              1               12             1

Where `rows` is None all samples are meant, in their order. One channel then reads the codes of eight samples at once: looks at memory
are what a histogram takes, and there are two in five fewer (with two channels it is no faster).
"""

from coordboost._generic import inlined, leaf
from coordboost._machine import read_eight
from coordboost.dictionaries.trees.rows import lies
from coordboost.dictionaries.trees.workspace import multiple_of


@inlined
def in_eights(rows, n):
    """How many of n samples are read eight at a time."""
    return n // 8 * 8 if rows is None else 0


@leaf
def one_channel(fixed, rows, a, b, c, d, in_a, in_b, in_c, in_d):
    """Add `fixed` (k,) into the bins of the four features with codes a, b, c, d."""
    eights = in_eights(rows, len(fixed))
    for first in range(0, eights, 8):
        some, more, others, last = read_eight(a, first), read_eight(b, first), read_eight(c, first), read_eight(d, first)
        for k in range(8):
            entry, shift = fixed[first + k], 8 * k
            in_a[(some >> shift) & 255] += entry
            in_b[(more >> shift) & 255] += entry
            in_c[(others >> shift) & 255] += entry
            in_d[(last >> shift) & 255] += entry
    for i in range(eights, len(fixed)):
        entry = fixed[i]
        row = i if rows is None else rows[i]
        in_a[a[row]] += entry
        in_b[b[row]] += entry
        in_c[c[row]] += entry
        in_d[d[row]] += entry


@leaf
def one_channel_pair(fixed, rows, a, b, in_a, in_b):
    """As `one_channel`, of two features."""
    eights = in_eights(rows, len(fixed))
    for first in range(0, eights, 8):
        some, more = read_eight(a, first), read_eight(b, first)
        for k in range(8):
            entry = fixed[first + k]
            in_a[(some >> 8 * k) & 255] += entry
            in_b[(more >> 8 * k) & 255] += entry
    for i in range(eights, len(fixed)):
        entry = fixed[i]
        row = i if rows is None else rows[i]
        in_a[a[row]] += entry
        in_b[b[row]] += entry


@leaf
def one_channel_alone(fixed, rows, a, in_a):
    """As `one_channel`, of one feature."""
    for i in range(len(fixed)):
        in_a[a[i if rows is None else rows[i]]] += fixed[i]


@inlined
def add_two(bins, at, entry, other):
    """Two neighbours are read before one is written: the compiler adds both at once then."""
    one, two = bins[at] + entry, bins[at + 1] + other
    bins[at] = one
    bins[at + 1] = two


@leaf
def two_channels(fixed, rows, a, b, c, d, in_a, in_b, in_c, in_d):
    """As `one_channel`, with two numbers for each row."""
    for i in range(len(fixed) // 2):
        entry, other = fixed[2 * i], fixed[2 * i + 1]
        row = i if rows is None else rows[i]
        add_two(in_a, 2 * int(a[row]), entry, other)
        add_two(in_b, 2 * int(b[row]), entry, other)
        add_two(in_c, 2 * int(c[row]), entry, other)
        add_two(in_d, 2 * int(d[row]), entry, other)


@leaf
def two_channels_pair(fixed, rows, a, b, in_a, in_b):
    """As `two_channels`, of two features."""
    for i in range(len(fixed) // 2):
        entry, other = fixed[2 * i], fixed[2 * i + 1]
        row = i if rows is None else rows[i]
        add_two(in_a, 2 * int(a[row]), entry, other)
        add_two(in_b, 2 * int(b[row]), entry, other)


@leaf
def two_channels_alone(fixed, rows, a, in_a):
    """As `two_channels`, of one feature."""
    for i in range(len(fixed) // 2):
        add_two(in_a, 2 * int(a[i if rows is None else rows[i]]), fixed[2 * i], fixed[2 * i + 1])


@inlined
def where(binned, space, features, slot, place):
    """Where in ``space.histograms`` the histogram in a slot for ``features[place]`` begins and ends."""
    width = space.form.channels
    at = (slot * multiple_of(4, len(features)) + place) * space.bins * width
    return at, at + binned.n_bins[features[place]] * width


@inlined
def fill(binned, space, features, first, last, node):
    """Build the histograms of a node for ``features[first:last]``, at most four."""
    for place in range(first, last):
        at, end = where(binned, space, features, node.slot, place)
        space.histograms[at:end] = 0
    side, width = node.depth & 1, space.form.channels
    fixed, rows = space.fixed[side][node.start * width : node.stop * width], space.rows[lies(node)][node.start : node.stop]
    if node.depth == 0:
        fill_from(binned, space, features, first, last, node.slot, fixed, None)
    else:
        fill_from(binned, space, features, first, last, node.slot, fixed, rows)


@inlined
def fill_from(binned, space, features, first, last, slot, fixed, rows):
    """The same from the targets of rows: four features, or two and one."""
    if last - first == 4:
        fill_four(binned, space, features, first, slot, fixed, rows)
    else:
        if last - first >= 2:
            fill_pair(binned, space, features, first, slot, fixed, rows)
        if (last - first) % 2:
            fill_alone(binned, space, features, last - 1, slot, fixed, rows)


@inlined
def fill_four(binned, space, features, first, slot, fixed, rows):
    """Build four histograms."""
    codes, width = binned.codes, space.form.channels
    f, g, h, k = features[first], features[first + 1], features[first + 2], features[first + 3]
    at, apart = where(binned, space, features, slot, first)[0], space.bins * width
    one = space.histograms[at : at + apart]
    two = space.histograms[at + apart : at + 2 * apart]
    three = space.histograms[at + 2 * apart : at + 3 * apart]
    four = space.histograms[at + 3 * apart : at + 4 * apart]
    if width == 1:
        one_channel(fixed, rows, codes[f], codes[g], codes[h], codes[k], one, two, three, four)
    else:
        two_channels(fixed, rows, codes[f], codes[g], codes[h], codes[k], one, two, three, four)


@inlined
def fill_pair(binned, space, features, first, slot, fixed, rows):
    """Build two histograms."""
    a, b = binned.codes[features[first]], binned.codes[features[first + 1]]
    at, end = where(binned, space, features, slot, first)
    start, stop = where(binned, space, features, slot, first + 1)
    if space.form.channels == 1:
        one_channel_pair(fixed, rows, a, b, space.histograms[at:end], space.histograms[start:stop])
    else:
        two_channels_pair(fixed, rows, a, b, space.histograms[at:end], space.histograms[start:stop])


@inlined
def fill_alone(binned, space, features, place, slot, fixed, rows):
    """Build one histogram."""
    at, end = where(binned, space, features, slot, place)
    if space.form.channels == 1:
        one_channel_alone(fixed, rows, binned.codes[features[place]], space.histograms[at:end])
    else:
        two_channels_alone(fixed, rows, binned.codes[features[place]], space.histograms[at:end])
