"""A team's own load tests: what they say of the serving estimate, as factors that the rules multiply with."""
