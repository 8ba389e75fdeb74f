import JSONText
import PickerSession
import PickerWire

/// Scenes about confirmations that the host decides on.
extension Scene {
  static let deciding = [
    Scene("confirm-granted", "the owner confirms, and the host grants it", decided) { stage in
      try stage.begin()
      try stage.confirm()
      stage.settle(#""granted":true"#)
      try stage.expectState(.deciding)
    },
    Scene(
      "confirm-denied", "the host denies the confirmation with a reason; the session is open again",
      decided
    ) { stage in
      try stage.begin()
      try stage.confirm()
      stage.settle(#""granted":false,"reason":{"en":"sold out"}"#)
      try stage.expectState(.deciding)
      try stage.act(#""type":"select","column":1,"row":2"#)
      try stage.expectState(.deciding)
    },
    Scene("confirm-timeout", "the host does not answer in time", decided) { stage in
      try stage.begin()
      try stage.confirm()
      stage.clock("2026-11-20T10:01:01Z")
      try stage.expectState(.deciding)
      try stage.act(#""type":"confirm""#)
      try stage.expectState(.deciding)
    },
    Scene(
      "confirm-cut", "the connection is lost while the host decides, and the decision follows",
      decided
    ) { stage in
      try stage.begin()
      try stage.confirm()
      stage.onLoop { $0.cut() }
      stage.settle(#""granted":false"#)
      _ = try stage.resumes()
      try stage.expectState(.deciding)
    },
  ]

  /// A session whose confirmations the host decides on within a minute.
  private static let decided = lists + #","decide":{"by":"host","seconds":60}"#
}

extension Stage {
  /// Makes the client's user confirm, and waits until the client shows that the host decides.
  fileprivate func confirm() throws {
    try act(#""type":"confirm""#)
    try expectState(.deciding)
    let status = truth()["status"]?.string
    precondition(status == "confirming", "the session is \(status ?? "lost")")
  }

  /// Decides as the host.
  ///
  /// - Parameter decision: The JSON members of the body except `op`.
  fileprivate func settle(_ decision: String) {
    let op = truth()["op"]?.string ?? ""
    let body = Array("{\"op\":\"\(op)\",\(decision)}".utf8)
    onLoop { server in
      let settle = try! Settle(body: body)
      server.hub.settle(server.session, settle, token: nil, at: server.now) { _ in }
    }
  }
}
