"""The page Learn."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Learn", "model_training", "Explore", 40, "Train them live", view="learning")
