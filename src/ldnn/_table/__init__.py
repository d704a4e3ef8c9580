"""The user's table: which columns are categories, one matrix of numbers, checked labels, distinct rows."""
