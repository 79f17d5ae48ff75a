"""The page Precision."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Precision", "query_stats", "Explore", 30, "Know when to believe", view="precision")
