"""Tables as finance keeps them: read strictly, every doubtful cell named, nothing dropped in silence."""
