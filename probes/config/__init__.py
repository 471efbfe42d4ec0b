"""The run as configured: files and flags read into one RunConfig, then judged by arithmetic."""
