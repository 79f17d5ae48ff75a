"""The page Compare."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Compare", "compare_arrows", "Explore", 20, "Compare methods", view="word")
