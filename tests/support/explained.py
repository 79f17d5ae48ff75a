"""Glossary terms that a page uses without an explanation."""

import re

from rcmviz.views.shared import words


def unexplained(page, root=".rv-player"):
    """Return the terms in a view's text that the view does not explain; longer terms are matched first."""
    named = page.eval_on_selector_all("[data-explains]", "nodes => nodes.map(node => node.dataset.explains)")
    assert set(named) <= set(words.glossary())
    titles = page.eval_on_selector_all("[data-tells]", "nodes => nodes.map(node => node.dataset.tells.split(':')[0])")
    named += [word for word in words.glossary() if any(word in title for title in titles)]
    text, found = page.locator(root).inner_text().lower(), []
    for word in sorted(words.glossary(), key=len, reverse=True):
        phrases = "|".join(re.escape(phrase.lower()) for phrase in words.phrases_of(word))
        text, times = re.subn(rf"(?<![\w-])(?:{phrases})(?:e?s)?(?!\w)", "", text)
        found += [word] * (times > 0 and word not in named)
    return found
