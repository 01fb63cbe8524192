"""Text → plan: what a query asks for, as weighted terms. See `greppy.query.plan`."""
