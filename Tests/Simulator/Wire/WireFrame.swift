/// A WebSocket frame of the two types that the simulation needs: unfragmented text, and close.
///
/// - Source: RFC 6455, section 5.2
enum WireFrame: Hashable {
  case text([UInt8])
  case close(code: UInt16)

  /// - Parameter mask: Four bytes in a client's frames; `nil` in a server's.
  func encoded(mask: [UInt8]? = nil) -> [UInt8] {
    var bytes: [UInt8]
    let payload: [UInt8]
    switch self {
    case .text(let text): (bytes, payload) = ([0x81], text)
    case .close(let code): (bytes, payload) = ([0x88], [UInt8(code >> 8), UInt8(code & 0xFF)])
    }
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    let (length, lengthBytes) =
      payload.count < 126
      ? (UInt8(payload.count), 0) : payload.count < 65_536 ? (UInt8(126), 2) : (UInt8(127), 8)
    bytes.append(maskBit | length)
    for index in (0..<lengthBytes).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: payload.count >> (8 * index)))
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }
}

/// Decodes frames from bytes that arrive in parts of any size.
struct WireFrameDecoder {
  private var bytes: [UInt8] = []

  mutating func append(_ piece: some Sequence<UInt8>) { bytes += piece }

  /// The next complete frame, unmasked; `nil` while bytes are missing.
  mutating func next() -> WireFrame? {
    guard bytes.count >= 2 else { return nil }
    let lengthBytes = [126: 2, 127: 8][bytes[1] & 0x7F] ?? 0
    let maskStart = 2 + lengthBytes
    let start = maskStart + (bytes[1] & 0x80 == 0 ? 0 : 4)
    guard bytes.count >= start else { return nil }
    let length =
      lengthBytes == 0
      ? Int(bytes[1] & 0x7F) : bytes[2..<maskStart].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= start + length else { return nil }
    var payload = Array(bytes[start..<start + length])
    if start > maskStart {
      for index in payload.indices { payload[index] ^= bytes[maskStart + (index & 3)] }
    }
    let isClose = bytes[0] & 0x0F == 8
    bytes.removeFirst(start + length)
    return isClose ? .close(code: UInt16(payload[0]) << 8 | UInt16(payload[1])) : .text(payload)
  }
}
