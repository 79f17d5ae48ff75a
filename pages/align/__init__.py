"""The page Align."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Align", "graphic_eq", "Applications", 20, "Learn without the answer", view="align")
