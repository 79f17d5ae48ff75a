"""The formulas of pages that are not declared yet."""

from pages.shell.formula import Formula, draw_formula

FORMULAS = {
    "em": Formula(
        r"p(s \mid y) \leftarrow \frac{n(s, y)}{\sum_{s'} n(s', y)}",
        "*s*: a symbol. *y*: what it may stand for. *p*: how likely *y* is written *s*. *n*: how often it does, "
        "as this pass expects it, and a hundredth more so that nothing is ruled out.",
    ),
}


def show_formula(name):
    """The formula of a page that is not declared yet."""
    draw_formula(FORMULAS[name])
