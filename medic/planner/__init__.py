"""Where a diagnosis stands, and which look comes next."""
