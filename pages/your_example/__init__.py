"""The page Your own example."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Your own example", "edit_note", "Yours", 10, "Bring your own", view="word")
