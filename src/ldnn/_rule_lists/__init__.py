"""Rule lists: ordered rules that are at least so many of some conditions, and the search for the best ones."""
