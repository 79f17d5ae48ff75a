"""Learning: generators that yield one state per epoch."""
