/// Frames of a client: what it sends is masked, what it receives is not.
///
/// - Source: RFC 6455, section 5.
struct WebSocketFrames {
  enum Opcode: UInt8 { case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 }

  enum Incoming: Hashable {
    case text([UInt8])
    case ping([UInt8])
    /// 1005 when the frame has no code.
    case close(code: Int)
    /// The server breaks the protocol; close with this code.
    case broken(code: Int)
  }

  /// Octets of a message; a snapshot of a large picker has some megabytes.
  static let messageBytesMax = 16 << 20

  private var octets: [UInt8] = []
  private var message: [UInt8]?

  mutating func append(_ more: some Sequence<UInt8>) { octets.append(contentsOf: more) }

  /// Takes out the next whole message or control frame; `nil` if more octets are needed.
  mutating func next() -> Incoming? {
    while let (isLast, code, payload) = takeFrame() {
      guard let opcode = Opcode(rawValue: code) else { return .broken(code: 1002) }
      switch opcode {
      case .ping: return .ping(payload)
      case .pong: continue
      case .close:
        let code = payload.count < 2 ? 1005 : Int(payload[0]) << 8 | Int(payload[1])
        return .close(code: code)
      case .binary: return .broken(code: 1003)
      case .text:
        guard message == nil else { return .broken(code: 1002) }
        message = payload
      case .continuation:
        guard message != nil else { return .broken(code: 1002) }
        message?.append(contentsOf: payload)
      }
      guard let whole = message else { continue }
      guard whole.count <= Self.messageBytesMax else { return .broken(code: 1009) }
      if isLast {
        message = nil
        return .text(whole)
      }
    }
    return isTooLong ? .broken(code: 1009) : nil
  }

  /// The length of the first frame's header and payload, as soon as its header is there.
  private var firstFrame: (header: Int, payload: Int)? {
    guard octets.count >= 2 else { return nil }
    let short = Int(octets[1] & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    guard octets.count >= 2 + extra else { return nil }
    if extra == 0 { return (2, short) }
    let length = octets[2..<2 + extra].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (2 + extra, Int(min(length, UInt64(Int32.max))))
  }

  private var isTooLong: Bool { (firstFrame?.payload ?? 0) > Self.messageBytesMax }

  private mutating func takeFrame() -> (isLast: Bool, opcode: UInt8, payload: [UInt8])? {
    guard let (header, length) = firstFrame, length <= Self.messageBytesMax,
      octets.count >= header + length
    else { return nil }
    // A server masks nothing and uses no extension bits; either is no opcode of ours.
    let isOdd = octets[0] & 0x70 != 0 || octets[1] & 0x80 != 0
    let frame = (octets[0] & 0x80 != 0, isOdd ? 0xF : octets[0] & 0xF)
    let payload = Array(octets[header..<header + length])
    octets.removeFirst(header + length)
    return (frame.0, frame.1, payload)
  }

  /// A frame to send.
  ///
  /// - Parameter mask: Fresh chance for each frame.
  static func frame(_ opcode: Opcode, _ payload: [UInt8], mask: UInt32) -> [UInt8] {
    var frame: [UInt8] = [0x80 | opcode.rawValue]
    switch payload.count {
    case ..<126: frame.append(0x80 | UInt8(payload.count))
    case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      frame.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    let key = (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * $0)) }
    frame += key
    frame.reserveCapacity(frame.count + payload.count)
    for (index, octet) in payload.enumerated() { frame.append(octet ^ key[index & 3]) }
    return frame
  }
}
