package import JSONText

/// One message's bytes, built once and shared by every outbox that it waits in.
///
/// In front of them stands free room, into which the socket writes the WebSocket header. All
/// connections of one loop may share a frame, connections of different loops may not.
package final class Frame: @unchecked Sendable {
  /// Bytes of free room before the message. At least libwebsockets' `LWS_PRE`.
  package static let headroom = 16

  /// Where the free room begins.
  package let base: UnsafeMutableRawPointer
  /// Bytes of the message.
  package let count: Int
  package let kind: FrameKind

  package init(_ bytes: UnsafeRawBufferPointer, _ kind: FrameKind = .other) {
    self.kind = kind
    count = bytes.count
    base = Frame.room(count)
    if let from = bytes.baseAddress {
      (base + Frame.headroom).copyMemory(from: from, byteCount: bytes.count)
    }
  }

  package init(_ bytes: [UInt8]) {
    kind = .other
    count = bytes.count
    base = Frame.room(count)
    bytes.withUnsafeBytes { bytes in
      guard let from = bytes.baseAddress else { return }
      (base + Frame.headroom).copyMemory(from: from, byteCount: bytes.count)
    }
  }

  package convenience init(_ bytes: some Sequence<UInt8>) { self.init(Array(bytes)) }

  package convenience init(_ text: borrowing JSONWriter, _ kind: FrameKind) {
    self.init(text.rawBytes, kind)
  }

  deinit { base.deallocate() }

  /// As bytes: with an alignment of its own the allocator would be asked in a slower way.
  private static func room(_ count: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(UnsafeMutablePointer<UInt8>.allocate(capacity: headroom + count))
  }

  /// The message. Valid as long as the frame lives.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Frame.headroom, count: count)
  }
}
