"""Several machines: what was run here, what it costs, and a plan past it on paper."""
