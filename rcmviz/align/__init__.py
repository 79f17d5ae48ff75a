"""Alignment with indirect supervision: phones in, letters out, and which belongs to which is observed by nobody."""
