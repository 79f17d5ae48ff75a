"""The page Letters."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Letters", "abc", "Applications", 70, card="Read letter by letter")
