"""What several test files share: the browser, the command line, links, toy trainings."""
