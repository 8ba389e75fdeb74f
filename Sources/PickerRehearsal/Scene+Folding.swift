import JSONText

/// Scenes about applying messages on a stable connection.
extension Scene {
  static let folding = [
    Scene("ticks", "time passes: rows vanish and the result changes", slot) {
      stage in
      try stage.begin()
      stage.clock("2026-11-20T10:25:00Z")
      try stage.expectState(.result)
      stage.clock("2026-11-21T00:00:00Z")
      try stage.expectState(.fold)
    },
    Scene(
      "stale-column", "another member changes the column that the user is looking at", date
    ) { stage in
      try stage.begin()
      stage.others(#""type":"select","column":1,"row":3,"generation":1"#)
      try stage.expectState(.fold)
      let seen = stage.truth()["snapshot"]?["columns"]?.array?[2]["generation"]
      stage.script { $0.holds = true }
      stage.others(#""type":"select","column":1,"row":1,"generation":1"#)
      let select = try stage.act(#""type":"select","column":2,"row":9"#)
      stage.onLoop { $0.release() }
      guard select["generation"] == seen, select["key"]?.string == "10" else {
        throw Breach(
          .stale, "the user saw key \"10\" of generation \(seen?.text ?? ""): \(select.text)")
      }
      try stage.expectState(.fold)
    },
    Scene("refusal", "a tap is refused, and the refusal contains changes", calendar) {
      stage in
      try stage.begin()
      try stage.act(#""type":"tap","date":"2026-11-18""#)
      try stage.expectState(.answer)
      let revision = stage.truth()["revision"]?.integer ?? 0
      let range = #""start":"2026-11-05","end":"2026-11-07","hits":2"#
      stage.script { script in
        script.swallows = { server, connection, message in
          guard let ref = message["ref"]?.integer else { return false }
          let refusal = """
            {"type":"refused","ref":\(ref),"code":"blocked","detail":"2026-11-16 is blocked",\
            "params":{"date":"2026-11-16"},"revision":\(revision),\
            "changes":[{"change":"range",\(range)}]}
            """
          server.write(try! JSONTree.parse(Array(refusal.utf8)), to: connection)
          return true
        }
      }
      try stage.act(#""type":"tap","date":"2026-11-16""#)
      let expected = try! JSONTree.parse(Array("{\(range)}".utf8))
      try stage.expectState(.refused) {
        $0.with(expected, at: "snapshot", "calendar", "range")
      }
    },
    Scene("clamp", "a tap beyond the longest range is clamped", calendar) { stage in
      try stage.begin()
      try stage.act(#""type":"tap","date":"2026-11-03""#)
      try stage.expectState(.fold)
      try stage.act(#""type":"tap","date":"2026-11-13""#)
      try stage.expectState(.clamp)
    },
    Scene("slow-link", "the client does not read for a while and gets one snapshot", lists) {
      $0.outboxMessages = 8
    } play: { stage in
      try stage.begin()
      stage.script { $0.isFull = true }
      for row in [1, 2, 3, 1, 2, 3, 1, 2] {
        stage.others(#""type":"select","column":0,"row":\#(row),"generation":1"#)
      }
      try stage.act(#""type":"select","column":1,"row":2"#)
      for row in [3, 1, 2, 3, 1, 2, 3] {
        stage.others(#""type":"select","column":0,"row":\#(row),"generation":1"#)
      }
      stage.onLoop { server in
        server.script.isFull = false
        if let connection = server.connection { server.writable(connection) }
      }
      try stage.expectState(.snapshot)
    },
    Scene("unknown", "a newer server sends unknown types, changes, fields and codes", lists) {
      stage in
      let more = JSONTree.Member("aurora", .object([.init("strength", .integer(3))]))
      let change = JSONTree.object([.init("change", .string("aurora")), .init("hue", .null)])
      let updates = JSONTree.object([
        .init("type", .string("weather")), .init("sky", .string("blue")),
      ])
      stage.script { $0.rewrites = { [updates, $0.adding([more], change: change), updates] } }
      try stage.begin()
      stage.others(#""type":"select","column":0,"row":2,"generation":1"#)
      try stage.expectState(.unknown)
      stage.script { script in
        script.swallows = { server, connection, message in
          guard let ref = message["ref"]?.integer else { return false }
          let refusal = """
            {"type":"refused","ref":\(ref),"code":"newMoon","detail":"not tonight",\
            "params":{"phase":0},"revision":1,"changes":[]}
            """
          server.write(try! JSONTree.parse(Array(refusal.utf8)), to: connection)
          return true
        }
      }
      try stage.act(#""type":"select","column":1,"row":1"#)
      try stage.expectState(.unknown)
    },
    Scene("duplicate", "a delta and an answer arrive twice", lists) { stage in
      try stage.begin()
      let select = try stage.act(#""type":"select","column":1,"row":1"#)
      try stage.expectState(.fold)
      stage.others(
        #""type":"select","column":0,"row":2,"generation":1"#,
        #""type":"select","column":0,"row":3,"generation":1"#)
      try stage.expectState(.fold)
      let ref = select["ref"]?.integer ?? 0
      stage.write(#"{"type":"reply","ref":\#(ref),"revision":3}"#)
      stage.write(
        #"{"type":"delta","revision":2,"at":"2026-11-20T10:00:00.000Z","changes":["#
          + #"{"change":"row","column":0,"row":2,"key":"c","text":"c","cause":"select"},"#
          + #"{"change":"result","result":{"keys":["c","y"]}}]}"#)
      try stage.expectLastingState(.duplicate)
    },
    Scene("role", "the owner leaves, and the client's member becomes owner", lists) { stage in
      stage.joinOther()
      try stage.begin()
      stage.onLoop { $0.leap(milliseconds: 200_000) }
      try stage.expectState(.role)
    },
    Scene("status", "the owner confirms", calendar) { stage in
      try stage.begin()
      try stage.act(#""type":"tap","date":"2026-11-03""#)
      try stage.act(#""type":"tap","date":"2026-11-05""#)
      try stage.expectState(.result)
      try stage.act(#""type":"confirm""#)
      try stage.expectState(.fold)
    },
    Scene("definition-columns", "the host adds a column, then leaves only one", lists) {
      stage in
      try stage.begin()
      stage.others(#""type":"select","column":0,"row":3,"generation":1"#)
      stage.redefine(#"{"columns":[["a","b","c"],["x","y","z"],["1","2"]]}"#)
      try stage.expectState(.definition)
      stage.redefine(#"{"columns":[["a","d"]]}"#)
      try stage.expectState(.definition)
    },
    Scene("definition-calendar", "the host shortens the range and the list of months", calendar) {
      stage in
      try stage.begin()
      try stage.act(#""type":"tap","date":"2026-11-03""#)
      try stage.act(#""type":"tap","date":"2026-11-07""#)
      try stage.expectState(.fold)
      stage.redefine(#"{"maxDays":2,"months":{"from":"2026-11","through":"2027-02"}}"#)
      try stage.expectState(.fold)
    },
    Scene("nights", "a stay ends before a booked night, and the host changes a price", nights) {
      stage in
      try stage.begin()
      stage.note(
        #"{"days":{"2026-11-25":{"text":"€ 99.50","amount":99.5},"#
          + #""2026-11-26":{"text":"€ 120","amount":120}}}"#)
      try stage.act(#""type":"tap","date":"2026-11-25""#)
      try stage.expectState(.fold)
      try stage.act(#""type":"tap","date":"2026-11-29""#)
      try stage.expectState(.clamp)
      stage.note(#"{"days":{"2026-11-26":{"text":"€ 80","amount":80}}}"#)
      try stage.expectState(.result)
      stage.redefine(#"{"minNights":3}"#)
      try stage.expectState(.fold)
    },
  ]
}

extension Stage {
  /// Checks the state, after a pause in which the client must have read everything that was sent.
  func expectLastingState(_ clause: Clause) throws {
    pause(0.1)
    try expectState(clause)
  }
}
