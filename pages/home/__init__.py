"""The page Home."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Home", "home", "Begin", 10, kind="function", view="mass_flow_hero")
