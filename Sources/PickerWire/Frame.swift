package import JSONText

/// One message's octets, built once and shared by every outbox that it waits in.
///
/// In front of them stands free room, into which the socket writes the WebSocket header. All
/// connections of one loop may share a frame, connections of different loops may not.
package final class Frame: @unchecked Sendable {
  /// Octets of free room before the message. At least libwebsockets' `LWS_PRE`.
  package static let headroom = 16

  /// Where the free room begins.
  package let base: UnsafeMutableRawPointer
  /// Octets of the message.
  package let count: Int
  package let kind: FrameKind

  package init(_ octets: UnsafeRawBufferPointer, _ kind: FrameKind = .other) {
    self.kind = kind
    count = octets.count
    base = Frame.room(count)
    if let from = octets.baseAddress {
      (base + Frame.headroom).copyMemory(from: from, byteCount: octets.count)
    }
  }

  package init(_ octets: [UInt8]) {
    kind = .other
    count = octets.count
    base = Frame.room(count)
    octets.withUnsafeBytes { octets in
      guard let from = octets.baseAddress else { return }
      (base + Frame.headroom).copyMemory(from: from, byteCount: octets.count)
    }
  }

  package convenience init(_ octets: some Sequence<UInt8>) { self.init(Array(octets)) }

  package convenience init(_ text: borrowing JSONWriter, _ kind: FrameKind) {
    self.init(text.bytes, kind)
  }

  deinit { base.deallocate() }

  /// As octets: with an alignment of its own the allocator would be asked in a slower way.
  private static func room(_ count: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(UnsafeMutablePointer<UInt8>.allocate(capacity: headroom + count))
  }

  /// The message. Valid as long as the frame lives.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Frame.headroom, count: count)
  }
}
