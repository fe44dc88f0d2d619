"""Named entities: those of a summary that its source and references have, and those of the references that it has."""
