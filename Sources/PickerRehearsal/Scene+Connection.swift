import JSONText

/// Scenes about lost connections.
extension Scene {
  static let connection = [
    Scene("cut-command", "the connection is lost before a command arrives", calendar) { stage in
      try stage.begin()
      stage.script { script in
        script.swallows = { server, _, message in
          guard message["ref"] != nil else { return false }
          server.script.swallows = nil
          server.cut()
          return true
        }
      }
      let tap = try stage.act(#""type":"tap","date":"2026-11-03""#)
      _ = try stage.resumes()
      guard let again = stage.command(within: stage.patience) else {
        throw Breach(.resend, "the unanswered command was not sent again: \(tap.text)")
      }
      guard again["hits"] == .integer(0) else {
        throw Breach(.hits, "the user saw no hits: \(again.text)")
      }
      guard again.with(.integer(0), at: "hits") == tap.with(.integer(0), at: "hits") else {
        throw Breach(.resend, "sent again with changes: \(again.text), not \(tap.text)")
      }
      try stage.expectState(.resend)
    },
    Scene(
      "cut-answer", "the connection is lost before the answer arrives; it may come twice", calendar
    ) { stage in
      try stage.begin()
      stage.script { script in
        script.swallows = { server, connection, message in
          guard message["ref"] != nil else { return false }
          server.script.swallows = nil
          server.script.rewrites = { _ in [] }
          server.pass(message.serialized(), from: connection)
          server.script.rewrites = nil
          server.cut()
          return true
        }
      }
      try stage.act(#""type":"tap","date":"2026-11-03""#)
      _ = try stage.resumes()
      try stage.expectLastingState(.twice)
    },
    Scene(
      "resume", "the connection is lost while others act; the missed deltas follow", calendar
    ) { stage in
      try stage.begin()
      let first = try stage.act(#""type":"tap","date":"2026-11-03""#)
      try stage.expectState(.fold)
      let revision = stage.truth()["revision"]
      stage.others(
        #""type":"tap","date":"2026-11-05""#, #""type":"tap","date":"2026-11-10""#,
        after: { $0.cut() })
      let resume = try stage.resumes()
      guard resume["revision"] == revision else {
        throw Breach(
          .resume, "resumes at \(resume["revision"]!.text) instead of \(revision?.text ?? "")")
      }
      try stage.expectState(.resume)
      let second = try stage.act(#""type":"tap","date":"2026-11-12""#)
      guard let before = first["ref"]?.integer, let after = second["ref"]?.integer, after > before
      else {
        throw Breach(.growing, "first \(first.text), after reconnecting \(second.text)")
      }
      try stage.expectState(.fold)
    },
    Scene("no-history", "the missed deltas are not stored any more; a snapshot follows", lists) {
      $0.session.history = 2
    } play: { stage in
      try stage.begin()
      stage.others(
        #""type":"select","column":0,"row":1,"generation":1"#,
        #""type":"select","column":0,"row":2,"generation":1"#,
        #""type":"select","column":1,"row":2,"generation":1"#,
        #""type":"select","column":0,"row":3,"generation":1"#, after: { $0.cut() })
      _ = try stage.resumes()
      try stage.expectState(.snapshot)
    },
    Scene("gap", "a delta does not arrive", lists) { stage in
      try stage.begin()
      stage.script { $0.rewrites = { _ in [] } }
      stage.others(#""type":"select","column":0,"row":1,"generation":1"#)
      stage.script { $0.rewrites = nil }
      stage.others(#""type":"select","column":1,"row":2,"generation":1"#)
      let resume = try stage.resumes(.gap)
      guard resume["revision"]?.integer == 0 else {
        throw Breach(.gap, "must resume at revision 0, the last one before the gap: \(resume.text)")
      }
      try stage.expectState(.gap)
    },
    Scene("another-member", "the server has forgotten the member", lists) { stage in
      try stage.begin()
      stage.script { script in
        script.swallows = { server, connection, message in
          if message["ref"] != nil, server.script.rewrites == nil {
            // Only once: a non-nil `rewrites` marks that it has happened.
            server.script.rewrites = { [$0] }
            server.cut()
            return true
          }
          guard message["type"]?.string == "join" else { return false }
          server.pass(Array(#"{"type":"join"}"#.utf8), from: connection)
          return true
        }
      }
      let select = try stage.act(#""type":"select","column":0,"row":2"#)
      _ = try stage.returns(.resume)
      if let again = stage.command(within: 0.5) {
        throw Breach(.otherMember, "\(select.text) was sent again: \(again.text)")
      }
      try stage.expectState(.otherMember)
    },
    Scene("draining", "the server shuts down and sends a reconnect delay", lists) { stage in
      try stage.begin()
      let start = stage.milliseconds
      stage.close(1001, last: #"{"type":"draining","reconnectAfterMs":700}"#)
      _ = try stage.resumes(.draining)
      let waited = stage.milliseconds - start
      guard waited >= 650 else {
        throw Breach(.draining, "reconnected after \(waited) ms, not after 700")
      }
      try stage.expectState(.resume)
    },
  ]
}
