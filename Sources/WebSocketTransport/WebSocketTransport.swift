// WebSocketTransport
