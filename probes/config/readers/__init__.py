"""One reader a way of stating the run: a file's tree, or a command's flags."""
