"""The automatic choice: which plans are possible, what they cost, and how they compare on held-out rows."""
