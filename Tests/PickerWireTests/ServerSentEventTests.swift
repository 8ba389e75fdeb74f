import PickerModel
import PickerSession
import Testing

@testable import PickerWire

@Suite struct ServerSentEventTests {
  private func text(_ frame: Frame) -> String {
    String(decoding: ServerSentEvent.bytes(frame, epochMark: "abcdefgh"), as: UTF8.self)
  }

  /// Regression: the id was the first number after `"revision":` in the text.
  @Test func `the id of an event is the message's revision`() {
    let misleading = Array(#"{"type":"delta","x":"\"revision\":99"}"#.utf8)

    let delta = misleading.withUnsafeBytes { text(Frame($0, .delta(revision: 7))) }
    let months = misleading.withUnsafeBytes { text(Frame($0, .months)) }

    let data = "data: " + String(decoding: misleading, as: UTF8.self) + "\n\n"
    #expect(delta == "event: delta\nid: abcdefgh.7\n" + data)
    #expect(months == "event: months\n" + data)
  }

  @Test func `draining sets the retry time, and an error is an end event`() {
    let encoder = MessageEncoder(limits: ServerLimits())

    let draining = text(encoder.draining(reconnectAfterMilliseconds: 1500))
    let error = text(encoder.error(code: "sessionEnded", detail: "it has ended"))

    #expect(draining.hasPrefix("event: draining\nretry: 1500\ndata: {"))
    #expect(error.hasPrefix("event: end\ndata: {"))
  }
}
