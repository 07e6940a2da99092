"""Formulas as readers know them: ``"excess <= A**2 * decay(x, k) / 2"`` in the papers' notation,
``"L(beta_k) - L* <= A^2 gamma^k / 2"``.
"""

import ast
import re

from coordboost.theory.bounds import formula

#: Formula: symbol, where @ is the step. Other names stand for themselves, or for their definitions.
SYMBOLS = {
    "excess": "L(beta_@) - L*",
    "loss": "L(beta_@)",
    "lasso": "L*_delta",
    "fit": "||B (beta_@ - beta_LS)||",
    "fit_to_lasso": "||B (beta_@ - beta*_delta)||",
    "distance": "dist(beta_@, LS)",
    "corr": "max |B'r_@|",
    "to_least": "||beta_@ - b||_1",
    "to_end": "||beta_@ - beta_N||_1",
    "end": "N",
    "l0": "||beta_@||_0",
    "l1": "||beta_@||_1",
    "l2": "||beta_@||_2",
    "abs(theta)": "||r_{@+1} - r_@||",
    "theta": "theta_@",
    "steps": "eps_@",
    "repeats": "J_max",
    "omega": "omega_@",
    "taken": "<g_@, r_@ - r_LS>",
    "frank_wolfe_gap": "gap_@",
    "horizon": "number of radii",
    "D": "D_@",
    "k": "@",
    "gaps": "L(f^@) - L*",
    "radius2": "||f* - f^0||^2",
    "expected": "E L(beta_M) - L*",
    "gap": "L(0) - L*",
    "angle2": "Theta^2",
    "start_distance2": "Dist_0^2",
    "risk": "error on held-out rows",
    "margin": "R_rho(f)",
    "charge": "4 / rho sum_t alpha_t r_t",
    "remainder": "C",
    "mean_loss": "E L(beta_@)",
    "loss_of_mean": "L(m_@)",
    "spread": "tr(B'WB S_@)",
}
COMPARISONS = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=", ast.NotEq: "!="}
STEPS = {"later": "+1", "before": "-1"}
RANGES = {"mean": "mean_{i<=k}", "total": "sum_{i<=k}", "spent": "sum_{i<k}"}
BRACKETS = {
    "root": ("sqrt(", ")"),
    "least": ("min{", "}"),
    "largest": ("max{", "}"),
    "abs": ("|", "|"),
}
#: How strongly the parts of a text hold together.
SUM, PRODUCT, POWER, SYMBOL = 1, 2, 3, 4


def paper_text(text, where=(), symbols=()):
    """Return a formula in the papers' notation; where : name -> formula, the definitions; symbols :
    formula -> symbol, in place of those of ``SYMBOLS``.
    """
    return Notation(where, symbols).text(formula.parsed(text))


class Notation:
    """The symbols of a claim, and its definitions."""

    def __init__(self, where, symbols):
        self.where = dict(where)
        self.symbols = SYMBOLS | dict(symbols)

    def text(self, node, at="k", strength=0):
        """Return a syntax tree as text, in parentheses if it holds together less than `strength`;
        `at` is the step that names refer to.
        """
        phrase, own = self._parts(node, at)
        return phrase if own >= strength else f"({phrase})"

    def _parts(self, node, at):
        """Return a syntax tree as text, and how strongly it holds together."""
        source = ast.unparse(node)
        if source in self.symbols:
            script = at if len(at) == 1 else f"{{{at}}}"
            symbol = re.sub("(?<=[_^])@", script, self.symbols[source]).replace("@", at)
            return symbol, SUM if " - L*" in symbol else SYMBOL
        match node:
            case ast.Name(id=name) if name in self.where:
                return self._parts(formula.parsed(self.where[name]), at)
            case ast.Compare():
                phrase = self.text(node.left, at)
                for sign, side in zip(node.ops, node.comparators, strict=True):
                    phrase += f" {COMPARISONS[type(sign)]} {self.text(side, at)}"
                return phrase, 0
            case ast.BoolOp(op=ast.And()):
                return ", ".join(self.text(each, at) for each in node.values), 0
            case ast.BinOp(left=left, op=sign, right=right):
                return self._operation(left, sign, right, at)
            case ast.UnaryOp(op=ast.USub()):
                return f"-{self.text(node.operand, at, PRODUCT)}", SUM
            case ast.Subscript(slice=ast.UnaryOp()):
                return self._parts(node.value, "K")
            case ast.Call(func=ast.Name(id=name), args=arguments) if arguments:
                return self._call(name, arguments, at)
        return source, SYMBOL

    def _operation(self, left, sign, right, at):
        match sign:
            case ast.Add() | ast.Sub():
                return (
                    f"{self.text(left, at, SUM)} {'+' if isinstance(sign, ast.Add) else '-'} "
                    f"{self.text(right, at, PRODUCT)}",
                    SUM,
                )
            case ast.Mult():
                factors = [self.text(factor, at, PRODUCT) for factor in (left, right)]
                return " ".join(factor for factor in factors if factor != "1"), PRODUCT
            case ast.Div():
                return f"{self.text(left, at, PRODUCT)} / {self.text(right, at, POWER)}", PRODUCT
            case ast.Pow():
                base = self.text(left, at, SYMBOL)
                return (base, SYMBOL) if base == "1" else (self._power(base, right, at), POWER)
        return f"{self.text(left, at, PRODUCT)} @ {self.text(right, at, PRODUCT)}", PRODUCT

    def _power(self, base, exponent, at):
        number = self.text(exponent, at).replace(" / ", "/")
        if number == "1":
            return base
        if number == "1/2":
            return f"sqrt{base}" if base.startswith("(") else f"sqrt({base})"
        one_word = number.isalnum() or isinstance(exponent, ast.Call)
        return f"{base}^{number}" if one_word else f"{base}^({number})"

    def _call(self, name, arguments, at):
        inside = arguments[0]
        if name in ("decay", "fall"):
            rate = self.text(ast.BinOp(ast.Constant(1), ast.Sub(), inside), at, SYMBOL)
            power = self._power(rate, arguments[1], at)
            return (power, POWER) if name == "decay" else (f"1 - {power}", SUM)
        if name in STEPS:
            return self._parts(inside, at + STEPS[name])
        if name == "at":
            return self._parts(arguments[1], "i")
        if name == "smallest":
            start = "" if len(arguments) == 1 else f"{ast.unparse(arguments[1])}<="
            return f"min_{{{start}i<=k}} {self.text(inside, 'i', PRODUCT)}", PRODUCT
        if name in RANGES:
            return f"{RANGES[name]} {self.text(inside, 'i', PRODUCT)}", PRODUCT
        before, after = BRACKETS.get(name, (f"{name}(", ")"))
        return before + ", ".join(self.text(each, at) for each in arguments) + after, SYMBOL
