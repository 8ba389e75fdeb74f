import CWebSocketLoop
import Glibc

/// The body of a request.
package enum HTTPBody: Sendable {
  case small([UInt8])
  case large(LargeBody)
  /// A body over `bodyBytesMax`, which is discarded after the response.
  case unread(byteCount: Int)

  /// Bodies of more bytes are large.
  package static let smallByteCountMax = Int(WSL_SMALL_BODY_BYTES)

  package var count: Int {
    switch self {
    case .small(let bytes): bytes.count
    case .large(let body): body.bytes.count
    case .unread(let byteCount): byteCount
    }
  }

  package var isUnread: Bool {
    if case .unread = self { return true }
    return false
  }

  /// The bytes; those of a large body are copied. Empty if the body is unread.
  package var bytes: [UInt8] {
    switch self {
    case .small(let bytes): bytes
    case .large(let body): Array(body.bytes)
    case .unread: []
    }
  }
}

/// The memory in which a large body was received, so that the loop's thread neither copies nor
/// frees it: of 4 MiB each takes as long as a tap may wait. It counts in ``BodyBytes`` while it
/// exists.
package final class LargeBody: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  private let memory: UnsafeMutableRawPointer
  private let countedByteCount: Int
  private let total: BodyBytes

  /// Takes the body of a request; `nil` if it is small. It no longer uses the share of the network,
  /// which has sent it.
  init?(of request: inout wsl_request, on loop: SocketLoop) {
    let body = request.body
    guard body.count > HTTPBody.smallByteCountMax, let memory = request.body_memory
    else { return nil }
    request.body_memory = nil
    bytes = UnsafeRawBufferPointer(start: body.bytes, count: body.count)
    self.memory = memory
    countedByteCount = request.body_reserved
    total = loop.bodies
    loop.counts.release(request.body_reserved, of: .bodies, request.network)
  }

  deinit {
    free(memory)
    total.release(countedByteCount)
  }
}
