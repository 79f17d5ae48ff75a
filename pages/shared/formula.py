"""The formulas of pages that are not declared yet."""

from pages.shell.formula import Formula, draw_formula

FORMULAS = {
    "field bound": Formula(
        r"\tfrac{1}{N} \log Z \;\le\; b(\delta) \quad \text{for all}\ \delta",
        "*N*: the number of tokens. *Z*: the mass of all texts of that length. *b*: the bound that one star "
        "gives. *δ*: the messages, which are chosen so that the bound is low.",
    ),
    "field learning": Formula(
        r"\tfrac{1}{N} \log p(x) = \tfrac{1}{N}\big( \text{score}(x) - \log Z \big) "
        r"\;\ge\; \tfrac{1}{N}\,\text{score}(x) - b(\delta)",
        "*x*: the text, of *N* tokens. *p*: how probable it is. *Z*: the mass of all texts of that length. *b*: a "
        "bound on log *Z* per token, by messages *δ*. The right side is what is raised.",
    ),
    "field blank": Formula(
        r"p(w \mid \text{both sides}) \,\propto\, \exp\Big( \theta_0(w) + \sum_n \theta(w, n) \Big)",
        "*w*: a word for the blank. *p*: how probable it is. *θ₀*: its own score. *n*: a word beside the blank, "
        "at its distance. *θ*: how well the two go together there.",
    ),
    "em": Formula(
        r"p(s \mid y) \leftarrow \frac{n(s, y)}{\sum_{s'} n(s', y)}",
        "*s*: a symbol. *y*: what it may stand for. *p*: how likely *y* is written *s*. *n*: how often it does, "
        "as this pass expects it, and a hundredth more so that nothing is ruled out.",
    ),
}


def show_formula(name):
    """The formula of a page that is not declared yet."""
    draw_formula(FORMULAS[name])
