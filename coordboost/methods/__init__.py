"""Named methods: a selection rule, a step rule and a store of coefficients each, with their sources."""
