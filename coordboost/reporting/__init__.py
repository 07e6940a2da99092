"""For people: plots, the report page, the command line, the first five minutes."""
