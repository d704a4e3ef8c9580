"""Rule lists: ordered rules, each a conjunction of conditions, and the search for the best ones."""
