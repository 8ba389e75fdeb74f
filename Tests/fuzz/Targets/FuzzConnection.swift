import JSONText
import PickerHub
import PickerSession
import PickerWire

/// The client's end of a connection, which checks every frame against the protocol.
final class FuzzConnection {
  let id: ConnectionID
  /// Whether it is an event stream, which only receives.
  let isWatching: Bool
  private(set) var isClosed = false
  /// Whether it has stopped reading.
  var isBlocked = false
  var isWriteBlocked = false
  /// The revision of the last message that has one.
  private(set) var revision: Int?
  private(set) var member: String?
  private(set) var secret = ""
  private(set) var epoch = ""
  private(set) var frameCount = 0
  var nextRef = 1
  /// The first violation of the protocol.
  private(set) var failure: FuzzFailure?

  init(_ id: ConnectionID, isWatching: Bool) {
    self.id = id
    self.isWatching = isWatching
  }

  func take(_ frame: Frame) -> SendOutcome {
    frameCount += 1
    do throws(FuzzFailure) {
      try require(!isClosed, "nothing is sent after a close")
      try require(!isWriteBlocked, "nothing is sent to a write-blocked connection")
      try read(frame)
    } catch {
      failure = failure ?? error
    }
    isWriteBlocked = isBlocked
    return isBlocked ? .writeBlocked : .sent
  }

  func close(_ code: UInt16, _ reason: String, _ last: Frame?) {
    do throws(FuzzFailure) {
      try require(!isClosed, "a connection is closed once")
      try require(reason.utf8.count <= 123, "a reason has at most 123 bytes: \(reason)")
      try require((last != nil) == (code >= 4300 || code == 1001), "\(code) without its message")
      if let last { try read(last) }
    } catch {
      failure = failure ?? error
    }
    isClosed = true
  }

  private func read(_ frame: Frame) throws(FuzzFailure) {
    guard let message = try? JSONTree.parse(frame.bytes) else {
      throw FuzzFailure("a frame is JSON: \(String(decoding: frame.bytes, as: UTF8.self))")
    }
    let shown = message["revision"]?.integer
    switch message["type"]?.string {
    case "welcome":
      try require(revision == nil, "a connection has one welcome")
      member = message["member"]?["id"]?.string
      secret = message["member"]?["secret"]?.string ?? ""
      epoch = message["epoch"]?.string ?? ""
      revision = shown
    case "snapshot":
      try require(shown ?? -1 >= revision ?? 0, "a snapshot is not older than the last revision")
      revision = shown
    case "delta":
      try require(shown == revision.map { $0 + 1 }, "deltas have no gap: \(frame)")
      revision = shown
    case "refused", "months":
      try require(shown == revision, "an answer has the current revision")
    default: break
    }
  }
}
