import PickerHost
import JSONText
import PickerSession
import PickerWire

/// A scripted session and its checks of the client.
package struct Scene: Sendable {
  /// The name for `--scene`.
  package let name: String
  /// A summary of what happens, for `--help` and reports.
  package let summary: String
  /// The definition, and possibly further members of the request that creates the session.
  let definition: String
  var limits = ServerLimits()
  let play: @Sendable (Stage) throws -> Void

  init(
    _ name: String, _ summary: String, _ definition: String,
    limits change: (inout ServerLimits) -> Void = { _ in },
    play: @escaping @Sendable (Stage) throws -> Void
  ) {
    self.name = name
    self.summary = summary
    self.definition = definition
    self.play = play
    limits.messagesPerSecond = 1000
    change(&limits)
  }

  package static let all = folding + marking + deciding + connection + late + closing

  static let calendar = """
    {"kind":"calendar","months":{"from":"2026-10","through":"2026-12"},"maxDays":5,\
    "blocked":[{"from":"2026-11-18"}]}
    """
  static let nights = """
    {"kind":"calendar","unit":"nights","months":{"from":"2026-11","through":"2026-12"},\
    "currency":"EUR","stays":[{"weekdays":[7],"arrival":false}],\
    "taken":{"a":{"from":"2026-11-27","through":"2026-11-29"}}}
    """
  static let date = """
    {"kind":"date","min":"2024-01-01","max":"2026-12-31","initial":"2026-03-15"}
    """
  static let lists = #"{"kind":"columns","columns":[["a","b","c","d"],["x","y","z"]]}"#
  static let slot = #"{"kind":"slot","leadMinutes":0,"stepMinutes":10,"days":2}"#
}

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
      server.hub.host.settle(server.session, settle, token: nil, at: server.now) { _ in }
    }
  }
}

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

/// Scenes about commands that arrive late, and about names.
extension Scene {
  static let late = [
    Scene("late-confirm", "the user confirms before the change of another member arrives", lists) {
      stage in
      try stage.begin()
      stage.others(#""type":"select","column":0,"row":1,"generation":1"#)
      try stage.expectState(.fold)
      let seen = stage.truth()["revision"]
      stage.script { $0.holds = true }
      stage.others(#""type":"select","column":0,"row":2,"generation":1"#)
      let confirm = try stage.act(#""type":"confirm""#)
      stage.onLoop { $0.release() }
      guard confirm["at"] == seen else {
        throw Breach(.late, "the user saw revision \(seen?.text ?? ""): \(confirm.text)")
      }
      try stage.expectState(.late)
    },
    Scene("late-again", "a confirm is lost, and arrives after a change of another member", lists) {
      stage in
      try stage.begin()
      stage.swallowCommands()
      let confirm = try stage.act(#""type":"confirm""#)
      stage.others(
        #""type":"select","column":0,"row":1,"generation":1"#, after: { $0.cutAndDeliver() })
      _ = try stage.resumes()
      guard let again = stage.command(within: stage.patience) else {
        throw Breach(.resend, "the unanswered command was not sent again: \(confirm.text)")
      }
      guard again == confirm, again["at"] == .integer(0) else {
        throw Breach(.again, "sent again: \(again.text), first \(confirm.text)")
      }
      try stage.expectState(.again)
    },
    Scene(
      "late-tap", "a second tap is lost, and is sent again with the hits that the user saw",
      calendar
    ) { stage in
      try stage.begin()
      try stage.act(#""type":"tap","date":"2026-11-03""#)
      try stage.expectState(.fold)
      stage.swallowCommands()
      try stage.act(#""type":"tap","date":"2026-11-05""#)
      stage.onLoop { $0.cutAndDeliver() }
      _ = try stage.resumes()
      guard let again = stage.command(within: stage.patience) else {
        throw Breach(.resend, "the unanswered tap was not sent again")
      }
      guard again["hits"] == .integer(1) else {
        throw Breach(.hits, "the user saw one hit: \(again.text)")
      }
      try stage.expectState(.hits)
    },
    Scene("another-epoch", "the server has lost a part of the session's history", lists) { stage in
      stage.script { script in
        script.rewrites = { message in
          let isWelcome = message["type"]?.string == "welcome"
          return [isWelcome ? message.with(.string("lost"), at: "epoch") : message]
        }
      }
      try stage.begin()
      stage.script { $0.rewrites = nil }
      stage.swallowCommands()
      let confirm = try stage.act(#""type":"confirm""#)
      stage.onLoop { $0.cutAndDeliver() }
      _ = try stage.returns(.resume)
      if let again = stage.command(within: 0.5) {
        throw Breach(.otherEpoch, "\(confirm.text) was sent again: \(again.text)")
      }
      try stage.expectState(.otherEpoch)
    },
    Scene("rename", "the user and another member change their names", lists) { stage in
      try stage.begin()
      stage.joinOther()
      let rename = try stage.act(#""type":"rename","name":"Mia""#)
      guard rename["name"] == .string("Mia") else {
        throw Breach(.rename, "the new name is Mia: \(rename.text)")
      }
      try stage.expectState(.rename)
      let other = stage.other?.member ?? ""
      stage.write(
        #"{"type":"presence","changed":[{"id":"\#(other)","name":"Zoe","role":"editor","#
          + ##""color":"#2e86ab","online":true}]}"##)
      try stage.act(#""type":"select","column":1,"row":2"#)
      try stage.expectState(.rename)
    },
  ]
}

extension Stage {
  /// Makes the client's commands get lost, until ``ScriptedServer/cutAndDeliver()``.
  fileprivate func swallowCommands() {
    script { $0.swallows = { _, _, message in message["ref"] != nil } }
  }
}

extension ScriptedServer {
  /// Cuts the client's connection; messages of the next one reach the hub.
  fileprivate func cutAndDeliver() {
    script.swallows = nil
    cut()
  }
}

/// Scenes about an `availability`.
extension Scene {
  private static let hours = """
    {"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-24"},\
    "stepMinutes":60,"hours":[{"from":"09:00","until":"13:00"}],"length":2,\
    "closes":"2026-11-23T11:00"}
    """
  private static let hidden = """
    {"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-29"},\
    "results":"counts"}
    """

  static let marking = [
    Scene("marks", "members mark, also while the connection is lost, and clear", hours) {
      stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,3],[5,6]],"generation":1"#)
      try stage.expectState(.marks)
      try stage.mark(#""grade":"maybe","cells":[[1,4]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.cut()
      stage.others(
        #""type":"mark","grade":null,"cells":[[1,2]],"generation":1"#,
        #""type":"mark","grade":"no","cells":[[2,3]],"generation":1"#)
      _ = try stage.resumes()
      try stage.expectState(.resume)
      stage.others(#""type":"clear""#)
      try stage.expectState(.marks)
      try stage.mark(#""grade":null,"cells":[[0,8]]"#, generation: 1)
      try stage.expectState(.marks)
    },
    Scene("cells", "the host changes the hours: the cells are numbered anew", hours) { stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,6]],"generation":1"#)
      try stage.mark(#""grade":"no","cells":[[2,8]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.redefine(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#)
      try stage.expectState(.cells)
      try stage.mark(#""grade":"yes","cells":[[9,10]]"#, generation: 2)
      try stage.expectState(.marks)
    },
    Scene("past-cells", "time passes: cells are past, and marks cannot be changed", hours) {
      stage in
      try stage.begin()
      try stage.mark(#""grade":"yes","cells":[[0,4]]"#, generation: 1)
      try stage.expectState(.result)
      stage.clock("2026-11-23T10:30:00Z")
      try stage.expectState(.fold)
      stage.clock("2026-11-23T11:00:00Z")
      try stage.expectState(.fold)
      try stage.mark(#""grade":"no","cells":[[5,6]]"#, generation: 1)
      try stage.expectState(.answer)
    },
    Scene("hidden-marks", "the host hides the results, and shows them again", hidden) { stage in
      // The owner sees everything.
      stage.joinOther()
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,3]],"generation":1"#)
      try stage.mark(#""grade":"no","cells":[[2,4]]"#, generation: 1)
      let member = stage.onLoop { $0.member ?? "" }
      let own = try! JSONTree.parse(
        Array(#"[{"member":"\#(member)","runs":[[2,4,"no"]]}]"#.utf8))
      try stage.expectState(.marks) {
        $0.with(own, at: "snapshot", "availability", "marks")
      }
      stage.redefine(#"{"results":"owner"}"#)
      try stage.expectState(.snapshot) {
        $0.with(own, at: "snapshot", "availability", "marks")
      }
      stage.redefine(#"{"results":"everyone"}"#)
      try stage.expectState(.snapshot)
    },
  ]
}

extension Stage {
  /// Makes the client's user mark, and checks the generation of the cells that it saw.
  fileprivate func mark(_ fields: String, generation: Int) throws {
    let sent = try act(#""type":"mark",\#(fields)"#)
    guard sent["generation"] == .integer(generation) else {
      throw Breach(
        .marks, "the user saw cells of generation \(generation): \(sent.text)")
    }
  }
}
