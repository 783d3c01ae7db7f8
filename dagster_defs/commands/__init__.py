"""What can be done from a terminal: a module for each kind of command, with `add_parser` and what it runs.

Nothing heavy is imported before a command is run: worker processes import the command line too.
"""
