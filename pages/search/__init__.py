"""The page Search."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Search", "account_tree", "Applications", 50, "Learn to search", view="search")
