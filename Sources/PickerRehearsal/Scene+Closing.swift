import JSONText
import PickerWire

/// Scenes about the ranges of close codes.
extension Scene {
  static let closing = [
    ends("close-44", "the session has ended", 4410, "sessionEnded", .final),
    ends("close-44-unknown", "a newer server closes for good", 4477, "newReason", .band),
    ends("close-43", "the token has expired", 4302, "tokenExpired", .credentials),
    ends("close-protocol", "a message was too long", 1009, nil, .protocolError),
    Scene("close-45", "the server is unavailable and closes every connection", lists) { stage in
      try stage.begin()
      let error = #"{"type":"error","code":"unavailable","detail":"the store is unavailable"}"#
      stage.script { script in
        script.swallows = { server, connection, message in
          guard message["type"]?.string == "join" else { return false }
          server.close(connection, code: 4503, reason: "", last: Frame(error.utf8))
          return true
        }
      }
      stage.close(4503, last: error)
      let start = stage.milliseconds
      _ = try stage.returns(.band)
      // Six random waits of up to 1, 2, 4, 8, 16 and 30 s take less than 3 s in total with a
      // probability of 1 in 30,000.
      for _ in 0..<5 {
        guard stage.joins(within: 3 - Double(stage.milliseconds - start) / 1000) != nil else {
          return
        }
      }
      let waited = stage.milliseconds - start
      throw Breach(.backOff, "six attempts within \(waited) ms, with 4503 as the answer to each")
    },
    Scene("close-45-unknown", "a newer server closes with an unknown code", lists) { stage in
      try stage.begin()
      stage.close(4577, last: #"{"type":"error","code":"newReason","detail":"later"}"#)
      _ = try stage.resumes(.band)
      try stage.expectState(.resume)
    },
  ]

  private static func ends(
    _ name: String, _ summary: String, _ code: UInt16, _ error: String?, _ clause: Clause
  ) -> Scene {
    Scene(name, summary, lists) { stage in
      try stage.begin()
      stage.close(code, last: error.map { #"{"type":"error","code":"\#($0)","detail":""}"# })
      try stage.staysAway(clause)
    }
  }
}
