"""The page ARS."""

from pages.shell.nav import NavEntry

NAV = NavEntry("ARS", "verified", "Applications", 30, "Prove it, or draw exactly", view="ars")
