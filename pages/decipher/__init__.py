"""The page Decipher."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Decipher", "key", "Applications", 10, "Crack a cipher", view="decipher")
