"""The page Step."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Step", "step_over", "Explore", 10, "Step through a word", view="word")
