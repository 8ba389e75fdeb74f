"""Test harness: the server process, an HTTP client, WebSocket members and their folded state."""
