/// The opening handshake of a client.
///
/// - Source: RFC 6455, section 4.1.
struct Handshake {
  private let key: String

  /// - Parameter nonce: 16 octets of fresh chance.
  init(nonce: [UInt8]) { key = Base64.text(nonce) }

  func request(_ address: SessionAddress) -> [UInt8] {
    let lines = [
      "GET \(address.path) HTTP/1.1", "Host: \(address.authority)", "Upgrade: websocket",
      "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Protocol: pickerd.v1", "", "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Whether an answer's head, without its empty line, accepts this request.
  func isAccepted(by head: [UInt8]) -> Bool {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    guard let status = lines.first, status.hasPrefix("HTTP/1.1 101") else { return false }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return false }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      fields[line[..<colon].lowercased()] = String(value)
    }
    let expected = Base64.text(SHA1.digest(Array((key + Self.magic).utf8)))
    return fields["sec-websocket-accept"] == expected
      && fields["sec-websocket-protocol"] == "pickerd.v1"
      && fields["upgrade"]?.lowercased() == "websocket"
  }

  private static let magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
}

/// Base 64 with padding.
///
/// - Source: RFC 4648, section 4.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ octets: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: octets.count, by: 3) {
      let group = octets[start..<min(start + 3, octets.count)]
      var bits = group.reduce(0) { $0 << 8 | Int($1) }
      bits <<= 8 * (3 - group.count)
      for place in 0..<4 {
        let digit = alphabet[bits >> (18 - 6 * place) & 0x3F]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The digest that the handshake asks for; it protects nothing.
///
/// - Source: RFC 3174.
enum SHA1 {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var octets = message + [0x80]
    while octets.count % 64 != 56 { octets.append(0) }
    let bits = UInt64(message.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) { octets.append(UInt8(bits >> shift & 0xFF)) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: octets.count, by: 64) {
      add(block: octets[start..<start + 64], to: &state)
    }
    return state.flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static func add(block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { place in
      block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotated(mixed, 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (choice, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let sum = rotated(a, 5) &+ choice &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, rotated(b, 30), a, sum)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
