# ruff: noqa: RUF001
"""Formulas as MathML, made from the same text that is checked."""

import ast
import html
import re

#: name: symbol, in a small language: _{...} and ^{...} after a character are its sub- and
#: superscript, @ is the step.
SYMBOLS = {
    "excess": "L(β_{@})−L^{*}",
    "loss": "L(β_{@})",
    "lasso": "L^{*}_{δ}",
    "lasso_of_l1": "L^{*}_{‖β_{@}‖₁}",
    "fit": "‖X(β_{@}−β_{LS})‖",
    "fit2": "‖X(β_{@}−β_{LS})‖^{2}",
    "fit_to_lasso": "‖X(β_{@}−β^{*}_{δ})‖",
    "distance": "dist(β_{@},LS)",
    "corr": "C_{@}",
    "l1": "‖β_{@}‖₁",
    "l2": "‖β_{@}‖₂",
    "l0": "‖β_{@}‖₀",
    "omega": "ω_{δ}(β_{@})",
    "theta": "θ_{@}",
    "lambda_pmin": "λ_{pmin}",
    "eps": "ε",
    "delta": "δ",
    "gamma": "γ",
    "sharper": "γ′",
    "k": "@",
    "to_end": "‖β_{@}−β_{N}‖₁",
    "repeats": "J_{max}",
    "outside": "‖r_{LS}‖",
    "l1_of_least_squares": "‖β_{LS}‖₁",
    "taken": "⟨g_{@},r_{@}−r_{LS}⟩",
    "frank_wolfe_gap": "gap_{@}",
    "off_frank_wolfe": "‖β_{@}−β^{FW}_{@}‖₁",
    "shrink": "α_{@}",
    "moved": "ε_{@}",
    "ell": "ℓ_{@}",
    "W": "W_{@}",
    "D": "D_{@}",
    "length": "G_{@}",
    "expected": "E[L(β^{M})−L^{*}]",
    "gap": "(L(β^{0})−L^{*})",
    "angle2": "Θ^{2}",
    "start_distance2": "Dist_{0}^{2}",
    "norm": "‖∇L‖_{F}",
    "distance_of": "Dist",
    "square": "‖Bd‖^{2}",
    "inner": "⟨∇L,d⟩",
    "dual": "‖d‖_{F*}",
    "gradient": "∇L",
    "mean_square": "E(∇_{j}L)^{2}",
    "norm_of_squares": "‖(∇_{j}L)^{2}‖_{F}",
    "mean_size": "E|∇_{j}L|",
    "one_step": "L(β+ρe_{j})−L^{*}",
    "law_by_rank": "P(ĵ=(@))",
    "least_eigenvalue": "λ_{pmin}",
    "orthonormal_angle2": "min_{i}(γ₁+⋯+γ_{i})^{2}/(n₁+⋯+n_{i})",
    "solution": "β^{*}",
    "beta": "β",
    "resid": "(y−Xβ)",
    "half": "½‖y‖^{2}",
    "apart": "‖y−Xβ−r‖^{2}",
    "loss_of": "L",
    "top": "‖X′r‖_{∞}",
    "f": "f_{δ}",
    "corner": "max_{‖β‖₁≤δ}⟨r,Xβ⟩",
    "subgradient": "w",
    "dual_of": "‖·‖_{F*}",
    "A2": "A^{2}",
    "start": "β^{0}",
    "worst": "c",
    "lasso_at": "L^{*}",
    "pred": "Bd",
    "basis": "B=I",
    "gaps": "(L(f^{@})−L^{*})",
    "radius2": "‖f^{*}−f^{0}‖^{2}",
    "eta": "η",
    "theta2": "Θ^{2}",
    "sharp": "(1−(1−Θ^{2})^{½})^{2}",
    "mu": "μ",
    "sigma": "σ",
    "hat_along": "⟨u,ĥ^{@}⟩",
    "h_along": "⟨u,h^{@}⟩",
    "left_along": "⟨u,c^{@}−b_{2}^{@}⟩",
    "alpha_m": "α_{@}",
    "mix": "θ_{@}",
    "at_mix": "(L(g^{@})−L^{*})",
    "residual2": "‖r^{@}‖^{2}",
    "learner2": "‖b^{@}‖^{2}",
    "left2": "‖c^{@}−b_{2}^{@}‖^{2}",
    "to_star": "⟨r^{@},h^{@}−f^{*}⟩",
    "to_near": "⟨r^{@},h^{@}−f₁⟩",
    "to_beyond": "⟨r^{@},h^{@}−f₂⟩",
    "near": "(L(f₁)−L^{*})",
    "beyond": "(L(f₂)−L^{*})",
    "gain": "δ_{@}",
    "potential": "V^{@}",
    "above": "V^{@}(−f^{*}/10)",
    "left": "a_{@}",
    "given": "c_{@}",
    "kappa": "κ",
    "short": "M",
    "long": "M",
    "n_places": "n",
    "drawn": "t",
    "best": "best fits",
    "one": "one learner a round",
}
#: Symbols that differ in formulas on random selection.
OF_DRAWS = {"distance": "Dist(d)", "i": "i", "gamma": "γ_{@}"}
TOKEN = re.compile(r"([_^])\{((?:[^{}]|\{[^{}]*\})*)\}|(\d+|[A-Za-zα-ωΑ-ΩĵℓL]+|.)")
STEP = {ast.Add: "+", ast.Sub: "−"}
COMPARE = {ast.LtE: "≤", ast.Lt: "<", ast.Eq: "=", ast.GtE: "≥", ast.Gt: ">"}


def _row(*parts):
    return f"<mrow>{''.join(parts)}</mrow>"


def _op(text):
    return f"<mo>{html.escape(text)}</mo>"


def _between(text):
    """Return an infix operator, which stays infix at the start of a line."""
    return f'<mo form="infix">{html.escape(text)}</mo>'


def symbol(text):
    """Return a symbol of ``SYMBOLS`` as MathML."""
    out = []
    for match in TOKEN.finditer(text):
        script, inside, sign = match.groups()
        if script:
            tag = "msub" if script == "_" else "msup"
            base = out.pop() if out else _row()
            merged = tag == "msup" and base.startswith("<msub>")
            out.append(
                f"<msubsup>{base[6:-7]}{symbol(inside)}</msubsup>"
                if merged
                else f"<{tag}>{base}{symbol(inside)}</{tag}>"
            )
        elif sign.isdigit():
            out.append(f"<mn>{sign}</mn>")
        else:
            out.append(f"<mi>{html.escape(sign)}</mi>" if sign[0].isalpha() else _op(sign))
    return out[0] if len(out) == 1 else _row(*out)


class Typeset:
    """Translation of formulas to MathML; `at` is the step that names refer to."""

    def __init__(self, names):
        self.names = names

    def of(self, text):
        """Return the formula as one ``<math>`` element."""
        return f'<math display="inline">{self.node(ast.parse(text, mode="eval").body, "k")}</math>'

    def pieces(self, node):
        """Return a comparison in MathML as a list of pieces, split before relation signs and before
        plus and minus.
        """
        out = self._terms(node.left)
        for op, side in zip(node.ops, node.comparators, strict=True):
            first, *rest = self._terms(side)
            out += [_row(_between(COMPARE[type(op)]), first), *rest]
        return out

    def _terms(self, node):
        if isinstance(node, ast.BinOp) and type(node.op) in STEP:
            return [
                *self._terms(node.left),
                _row(_between(STEP[type(node.op)]), self.node(node.right, "k", 2)),
            ]
        if isinstance(node, ast.Tuple):
            return [
                _row(self.node(one, "k"), _op("," if one is not node.elts[-1] else ""))
                for one in node.elts
            ]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "where":
            return [
                self.node(node.args[1], "k"),
                _row("<mtext>where&nbsp;</mtext>", self.node(node.args[0], "k")),
            ]
        return [self.node(node, "k")]

    def node(self, node, at, tight=0):
        """Return MathML of a node; `tight` is the precedence of the surrounding operator."""
        return getattr(self, f"on_{type(node).__name__}", self.plain)(node, at, tight)

    def plain(self, node, at, tight):
        """Return a node without a rule of its own as text."""
        return f"<mtext>{html.escape(ast.unparse(node))}</mtext>"

    def on_Constant(self, node, at, tight):
        return f"<mn>{node.value}</mn>"

    def on_Name(self, node, at, tight):
        said = self.names.get(node.id, SYMBOLS.get(node.id, node.id)).replace("@", at)
        return f"<mtext>{said}</mtext>" if " " in said else symbol(said)

    def on_BoolOp(self, node, at, tight):
        return _row("<mtext>,&nbsp; </mtext>".join(self.node(one, at) for one in node.values))

    def on_Compare(self, node, at, tight):
        out = [self.node(node.left, at)]
        for op, side in zip(node.ops, node.comparators, strict=True):
            out += [_op(COMPARE[type(op)]), self.node(side, at)]
        return _row(*out)

    def on_UnaryOp(self, node, at, tight):
        return _row(_op("−"), self.node(node.operand, at, 2))

    def on_Subscript(self, node, at, tight):
        last = isinstance(node.slice, ast.UnaryOp)
        return self.node(node.value, ("N" if last else ast.unparse(node.slice)), tight)

    def on_Attribute(self, node, at, tight):
        return f"<mi>{node.attr}</mi>"

    def on_BinOp(self, node, at, tight):
        if isinstance(node.op, ast.Div):
            return f"<mfrac>{self.node(node.left, at)}{self.node(node.right, at)}</mfrac>"
        if isinstance(node.op, ast.Pow):
            base = self.node(node.left, at, 3)
            whole = base.startswith(("<msup>", "<msubsup>", "<mfrac>"))
            base = _row(_op("("), base, _op(")")) if whole else _row(base)
            return f"<msup>{base}{self.node(node.right, at)}</msup>"
        strong = 2 if isinstance(node.op, ast.Mult | ast.MatMult) else 1
        sign = '<mspace width="0.15em"/>' if strong == 2 else _op(STEP[type(node.op)])
        inner = _row(
            self.node(node.left, at, strong),
            sign,
            self.node(node.right, at, strong + (strong == 1)),
        )
        return _row(_op("("), inner, _op(")")) if strong < tight else inner

    def on_Call(self, node, at, tight):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        made = getattr(self, f"call_{name}", None)
        if made is not None:
            return made(node.args, at)
        arguments = _op(",").join(self.node(one, at) for one in node.args)
        return _row(
            symbol(SYMBOLS.get(name, {"least": "min", "largest": "max"}.get(name, name))),
            _op("("),
            arguments,
            _op(")"),
        )

    def _under(self, sign, under, node, at):
        return _row(f"<munder>{_op(sign)}{symbol(under)}</munder>", self.node(node, at, 2))

    def call_root(self, args, at):
        return f"<msqrt>{self.node(args[0], at)}</msqrt>"

    def call_decay(self, args, at):
        rest = _row(_op("("), "<mn>1</mn>", _op("−"), self.node(args[0], at, 2), _op(")"))
        once = ast.unparse(args[1]) == "1"
        return rest if once else f"<msup>{rest}{self.node(args[1], at)}</msup>"

    def call_fall(self, args, at):
        return _row(_op("("), "<mn>1</mn>", _op("−"), self.call_decay(args, at), _op(")"))

    def call_floor(self, args, at):
        return _row(_op("⌊"), self.node(args[0], at), _op("⌋"))

    def call_ceil(self, args, at):
        return _row(_op("⌈"), self.node(args[0], at), _op("⌉"))

    def call_later(self, args, at):
        return self.node(args[0], f"{at}+1", 2)

    def call_before(self, args, at):
        return self.node(args[0], f"{at}−1", 2)

    def call_smallest(self, args, at):
        first = f"{args[1].value}≤" if len(args) > 1 else ""
        return self._under("min", f"{first}i≤k", args[0], "i")

    def call_mean(self, args, at):
        return self._under("mean", "i≤k", args[0], "i")

    def call_total(self, args, at):
        return self._under("∑", "i≤k", args[0], "i")

    def call_spent(self, args, at):
        return self._under("∑", "i<k", args[0], "i")

    def call_at(self, args, at):
        return self.node(args[1], "i", 2)

    def call_best(self, args, at):
        return self._under("arg min", "i≤k", args[0], "i")

    def call_abs(self, args, at):
        return _row(_op("|"), self.node(args[0], at), _op("|"))

    def call_exp(self, args, at):
        return f"<msup><mi>e</mi>{self.node(args[0], at)}</msup>"

    def call_where(self, args, at):
        return _row(
            self.node(args[1], at), "<mtext>&nbsp; where&nbsp; </mtext>", self.node(args[0], at)
        )


def typeset(text, draws=False):
    """Return a formula of the ledger as MathML; `draws`: whether it is on random selection."""
    return Typeset(OF_DRAWS if draws else {}).of(text)


def lines(text, draws=False):
    """Return the comparisons of a claim as MathML, one by one, in pieces between which lines may
    break.
    """
    tree = ast.parse(text, mode="eval").body
    made = Typeset(OF_DRAWS if draws else {})
    claims = tree.values if isinstance(tree, ast.BoolOp) else [tree]
    return [
        " ".join(f'<math display="inline">{piece}</math>' for piece in made.pieces(one))
        for one in claims
    ]
