"""What a network sees of a row: normalised numbers, knot positions, categories, components; and the way back."""
