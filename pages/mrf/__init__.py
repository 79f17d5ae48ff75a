"""The page Field."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Field", "blur_circular", "Applications", 40, "Learn a text all at once", view="mrf", path="field")
