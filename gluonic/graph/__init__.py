"""The room's front door."""
