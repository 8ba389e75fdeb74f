"""What the product tests stand on: a server process, its HTTP side, members, and their screens."""
