"""The page CTC."""

from pages.shell.nav import NavEntry

NAV = NavEntry("CTC", "subtitles", "Applications", 60, "Read frames with CTC", view="ctc")
