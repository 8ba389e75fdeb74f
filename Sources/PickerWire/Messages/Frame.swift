package import JSONText

/// The bytes of one message, encoded once and shared by all outboxes that contain it.
///
/// The bytes are preceded by ``headroom`` for the WebSocket header, which the socket writes in
/// place. Connections of one event loop can share a frame; connections of different loops must not,
/// because each loop writes its headers without synchronization. This is why the class is
/// `@unchecked Sendable`.
package final class Frame: @unchecked Sendable {
  /// Free bytes before the message. Must not be less than libwebsockets' `LWS_PRE`.
  package static let headroom = 16

  /// The start of the headroom. The message starts ``headroom`` bytes after it.
  package let base: UnsafeMutableRawPointer
  /// The length of the message in bytes, without the headroom.
  package private(set) var count: Int
  package private(set) var kind: FrameKind
  private let capacity: Int

  /// Copies `bytes` once, behind the headroom.
  package init(_ bytes: UnsafeRawBufferPointer, _ kind: FrameKind = .other) {
    self.kind = kind
    count = bytes.count
    // A little more, so that it can be filled again with a message of about the same length.
    capacity = (count + 63) & ~63
    base = Frame.room(capacity)
    if let from = bytes.baseAddress {
      (base + Frame.headroom).copyMemory(from: from, byteCount: bytes.count)
    }
  }

  package init(_ bytes: [UInt8]) {
    kind = .other
    count = bytes.count
    capacity = count
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

  /// Replaces the message.
  ///
  /// - Precondition: Nobody else has the frame.
  /// - Returns: False if it has no room for the message.
  func refill(_ bytes: UnsafeRawBufferPointer, _ kind: FrameKind) -> Bool {
    guard bytes.count <= capacity, let from = bytes.baseAddress else { return false }
    (base + Frame.headroom).copyMemory(from: from, byteCount: bytes.count)
    self.kind = kind
    count = bytes.count
    return true
  }

  // Allocated as bytes, because allocating raw memory with an explicit alignment is slower.
  private static func room(_ count: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(UnsafeMutablePointer<UInt8>.allocate(capacity: headroom + count))
  }

  /// The message. The buffer is valid only while the frame exists.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Frame.headroom, count: count)
  }
}
