"""Small wrong changes of a source text, one place each: what a test suite should notice.

A mutant is a stretch of the text and what stands there instead; everything else stays byte for byte. Prose (docstrings, messages,
names of things) is left alone, and so are annotations and imports.
"""

import ast
import itertools
import random
from typing import NamedTuple

COMPARE = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
BINARY = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "all": "any", "floor": "ceil", "zeros": "ones", "zeros_like": "ones_like",
    "sum": "max", "cumsum": "cumprod", "sqrt": "cbrt", "copy": "view",
}  # fmt: skip
NAMES |= {value: key for key, value in NAMES.items() if key in ("min", "minimum", "argmin", "all", "floor")}
# Swapping the first two arguments of these changes nothing, or is no call that anyone would write.
SYMMETRIC = {"min", "max", "minimum", "maximum", "array_equal", "isinstance", "getattr", "ValueError"}
DROPPED = (ast.AugAssign, ast.Raise, ast.Break, ast.Continue)
PROSE = (ast.Import, ast.ImportFrom, ast.JoinedStr)


class Mutant(NamedTuple):
    """Bytes `begin` to `end` of a source become `text`; `line` counts from 1, `kind` names the change."""

    line: int
    begin: int
    end: int
    text: str
    kind: str

    def of(self, source):
        """The changed source, bytes."""
        return source[: self.begin] + self.text.encode() + source[self.end :]

    def lines(self, source):
        """The line before and after, stripped; several lines are joined."""
        first, last = source.rfind(b"\n", 0, self.begin) + 1, source.find(b"\n", self.end)
        before = source[first:last]
        after = source[first : self.begin] + self.text.encode() + source[self.end : last]
        return tuple(" ".join(text.decode().split()) for text in (before, after))


def _changed(node, **fields):
    """The text of `node` with other fields."""
    copy = type(node)(**{**{name: getattr(node, name) for name in node._fields}, **fields})
    return ast.unparse(copy)


def _of_compare(node):
    for place, op in enumerate(node.ops):
        for other in COMPARE.get(type(op), ()):
            yield "comparison", _changed(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])


def _of_binary(node):
    if type(node.op) in BINARY and not isinstance(node.left, ast.Constant | ast.JoinedStr) | isinstance(node.right, ast.JoinedStr):
        yield "arithmetic", f"({_changed(node, op=BINARY[type(node.op)]())})"


def _of_boolean(node):
    yield "and/or", f"({_changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())})"
    if len(node.values) > 1:
        yield "condition dropped", f"({ast.unparse(node.values[-1])})"


def _of_unary(node):
    if isinstance(node.op, ast.USub | ast.Not | ast.Invert):
        yield "sign", f"({ast.unparse(node.operand)})"


def _of_constant(node):
    value = node.value
    if isinstance(value, bool):
        yield "constant", repr(not value)
    elif isinstance(value, int):
        yield from (("constant", f"({value + move})") for move in (1, -1))
    elif isinstance(value, float):
        yield from (("constant", f"({number!r})") for number in (2 * value or 1.0, value + 1.0))


def _of_test(node):
    yield "condition", f"(not ({ast.unparse(node.test)}))"


def _of_call(node):
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name == "abs" and len(node.args) == 1:
        yield "function", f"({ast.unparse(node.args[0])})"
    elif name in NAMES:
        other = ast.Name(NAMES[name]) if isinstance(node.func, ast.Name) else _with_name(node.func, NAMES[name])
        yield "function", _changed(node, func=other)
    first, rest = node.args[:2], node.args[2:]
    plain = len(first) == 2 and not any(isinstance(arg, ast.Starred) for arg in first)
    if plain and name not in SYMMETRIC and ast.dump(first[0]) != ast.dump(first[1]):
        yield "arguments", _changed(node, args=[*first[::-1], *rest])


def _with_name(attribute, name):
    return ast.Attribute(attribute.value, name, attribute.ctx)


def _of_slice(node):
    for bound in ("lower", "upper"):
        old = getattr(node, bound)
        if old is not None:
            yield "slice", _changed(node, **{bound: ast.BinOp(old, ast.Add(), ast.Constant(1))})
    if node.lower is None and node.upper is not None:
        yield "slice", _changed(node, lower=ast.Constant(1))


def _of_statement(node):
    calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    stores = isinstance(node, ast.Assign) and not any(isinstance(target, ast.Name | ast.Tuple) for target in node.targets)
    if calls or stores or isinstance(node, DROPPED):
        yield "dropped", "pass"


BY_NODE = {
    ast.Compare: _of_compare, ast.BinOp: _of_binary, ast.BoolOp: _of_boolean, ast.UnaryOp: _of_unary, ast.Constant: _of_constant,
    ast.Call: _of_call, ast.Slice: _of_slice,
}  # fmt: skip


def _walk(node):
    """The nodes below that are neither prose nor annotations, with the statement or expression that changes (for a test, its own)."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "msg"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not isinstance(child, PROSE):
                yield child
                if not isinstance(child, ast.Raise):
                    yield from _walk(child)


def mutants(source):
    """All mutants of a source (bytes), by place in it."""
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for node in _walk(ast.parse(source)):
        changes = list(BY_NODE[type(node)](node)) if type(node) in BY_NODE else list(_of_statement(node))
        at = node
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            changes, at = list(_of_test(node)), node.test
        for kind, text in changes:
            begin, end = starts[at.lineno - 1] + at.col_offset, starts[at.end_lineno - 1] + at.end_col_offset
            if text.encode() != source[begin:end]:
                found.append(Mutant(at.lineno, begin, end, text, kind))
    return sorted(set(found))


def parses(source):
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def sample(source, count, seed):
    """`count` mutants of a source, drawn by the seed: at most one of a line, and none that does not parse."""
    draw, by_line = random.Random(seed), {}
    for mutant in mutants(source):
        by_line.setdefault(mutant.line, []).append(mutant)
    lines = sorted(by_line)
    draw.shuffle(lines)
    chosen = (draw.choice(by_line[line]) for line in lines)
    return list(itertools.islice((mutant for mutant in chosen if parses(mutant.of(source))), count))


def shares(sizes, count):
    """`count` mutants over files of these sizes, in proportion, by largest remainders; {file: number}."""
    total = sum(sizes.values())
    exact = {file: count * size / total for file, size in sizes.items()}
    given = {file: int(share) for file, share in exact.items()}
    rest = sorted(exact, key=lambda file: (given[file] - exact[file], file))
    for file in rest[: count - sum(given.values())]:
        given[file] += 1
    return given
