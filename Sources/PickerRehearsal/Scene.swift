import PickerHub
import PickerHost
import JSONText
import PickerSession
import PickerWire

/// A scripted session and its checks of the client.
package struct Scene: Sendable {
  /// What happens, in one or two words. Scenes with different kinds of pickers share it.
  package let title: String
  /// A summary of what happens, for `--help` and reports.
  package let summary: String
  package let kind: SceneKind
  /// The name for `--scene`.
  package let name: String
  /// The definition, and possibly further members of the request that creates the session.
  let definition: String
  var limits = ServerLimits()
  let play: @Sendable (Stage) throws -> Void

  init(
    _ title: String, _ summary: String, _ part: Part, isOneOfSeveral: Bool = false,
    limits change: (inout ServerLimits) -> Void = { _ in },
    play: @escaping @Sendable (Stage) throws -> Void
  ) {
    self.title = title
    self.summary = summary
    kind = part.kind
    name = isOneOfSeveral ? "\(title)-\(part.kind)" : title
    definition = part.definition
    self.play = play
    limits.messagesPerSecond = 1000
    change(&limits)
  }

  /// A scene that is played with several kinds of pickers.
  static func each(
    _ title: String, _ summary: String, _ parts: Part...,
    limits change: (inout ServerLimits) -> Void = { _ in },
    play: @escaping @Sendable (Stage, Part) throws -> Void
  ) -> [Scene] {
    parts.map { part in
      Scene(title, summary, part, isOneOfSeveral: true, limits: change) { try play($0, part) }
    }
  }

  /// Whether `--scene` selects it with a name, or with a title, which selects all kinds.
  package func isCalled(_ text: String) -> Bool { text == name || text == title }

  /// The titles in the order of the scenes, and the kinds with which each is played.
  package static var table: [(title: String, kinds: [SceneKind], summary: String)] {
    var rows: [(title: String, kinds: [SceneKind], summary: String)] = []
    for scene in all {
      if rows.last?.title == scene.title {
        rows[rows.count - 1].kinds.append(scene.kind)
      } else {
        rows.append((scene.title, [scene.kind], scene.summary))
      }
    }
    return rows
  }

  package static let all = several + folding + marking + deciding + connection + late + closing
}

/// Scenes about the ranges of close codes.
extension Scene {
  static let closing = [
    ends("close-44", "the session has ended", 4410, "sessionEnded", .final),
    ends("close-44-unknown", "a newer server closes for good", 4477, "newReason", .band),
    ends("close-43", "the token has expired", 4302, "tokenExpired", .credentials),
    ends("close-protocol", "a message was too long", 1009, nil, .protocolError),
    Scene("close-45", "the server is unavailable and closes every connection", .lists) { stage in
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
    Scene("close-45-unknown", "a newer server closes with an unknown code", .lists) { stage in
      try stage.begin()
      stage.close(4577, last: #"{"type":"error","code":"newReason","detail":"later"}"#)
      _ = try stage.resumes(.band)
      try stage.expectState(.resume)
    },
  ]

  private static func ends(
    _ name: String, _ summary: String, _ code: UInt16, _ error: String?, _ clause: Clause
  ) -> Scene {
    Scene(name, summary, .lists) { stage in
      try stage.begin()
      stage.close(code, last: error.map { #"{"type":"error","code":"\#($0)","detail":""}"# })
      try stage.staysAway(clause)
    }
  }
}

/// Scenes about lost connections.
extension Scene {
  static let connection = [
    Scene("no-history", "the missed deltas are not stored any more; a snapshot follows", .lists) {
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
    Scene("gap", "a delta does not arrive", .lists) { stage in
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
    Scene("another-member", "the server has forgotten the member", .lists) { stage in
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
    Scene("draining", "the server shuts down and sends a reconnect delay", .lists) { stage in
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
  private static let decided = Part(
    .wheels, Part.lists.definition + #","decide":{"by":"host","seconds":60}"#)
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
      server.hub.begin { host throws(HubProblem) in
        try await host.settle(server.session, settle, token: nil, at: server.now)
      } answer: { _ in
      }
    }
  }
}

/// Scenes about applying messages on a stable connection.
extension Scene {
  static let folding = [
    Scene("ticks", "time passes: rows vanish and the result changes", .slot) {
      stage in
      try stage.begin()
      stage.clock("2026-11-20T10:25:00Z")
      try stage.expectState(.result)
      stage.clock("2026-11-21T00:00:00Z")
      try stage.expectState(.fold)
    },
    Scene(
      "stale-column", "another member changes the column that the user is looking at", .date
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
    Scene("unknown", "a newer server sends unknown types, changes, fields and codes", .lists) {
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
    Scene("duplicate", "a delta and an answer arrive twice", .lists) { stage in
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
    Scene("role", "the owner leaves, and the client's member becomes owner", .lists) { stage in
      stage.joinOther()
      try stage.begin()
      stage.onLoop { $0.leap(milliseconds: 200_000) }
      try stage.expectState(.role)
    },
    Scene("definition-columns", "the host adds a column, then leaves only one", .lists) {
      stage in
      try stage.begin()
      stage.others(#""type":"select","column":0,"row":3,"generation":1"#)
      stage.redefine(#"{"columns":[["a","b","c"],["x","y","z"],["1","2"]]}"#)
      try stage.expectState(.definition)
      stage.redefine(#"{"columns":[["a","d"]]}"#)
      try stage.expectState(.definition)
    },
    Scene("definition-calendar", "the host shortens the range and the list of months", .calendar) {
      stage in
      try stage.begin()
      try stage.act(#""type":"tap","date":"2026-11-03""#)
      try stage.act(#""type":"tap","date":"2026-11-07""#)
      try stage.expectState(.fold)
      stage.redefine(#"{"maxDays":2,"months":{"from":"2026-11","through":"2027-02"}}"#)
      try stage.expectState(.fold)
    },
    Scene("nights", "a stay ends before a booked night, and the host changes a price", .nights) {
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

/// Scenes about the history of another epoch, and about names.
extension Scene {
  static let late = [
    Scene("another-epoch", "the server has lost a part of the session's history", .lists) { stage in
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
    Scene("rename", "the user and another member change their names", .lists) { stage in
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

/// Scenes about an `availability`.
extension Scene {
  static let marking = [
    Scene("marks", "members mark, also while the connection is lost, and clear", .hours) {
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
    Scene("cells", "the host changes the hours: the cells are numbered anew", .hours) { stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,6]],"generation":1"#)
      try stage.mark(#""grade":"no","cells":[[2,8]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.redefine(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#)
      try stage.expectState(.cells)
      try stage.mark(#""grade":"yes","cells":[[9,10]]"#, generation: 2)
      try stage.expectState(.marks)
    },
    Scene("stale-cells", "the user marks before a change of the cells arrives", .hours) { stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,6]],"generation":1"#)
      try stage.expectState(.marks)
      stage.script { $0.holds = true }
      stage.redefine(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#)
      try stage.mark(#""grade":"no","cells":[[2,8]]"#, generation: 1)
      stage.onLoop { $0.release() }
      try stage.expectState(.cells)
    },
    Scene("cells-resume", "the cells are numbered anew while the connection is lost", .hours) {
      stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,6]],"generation":1"#)
      try stage.mark(#""grade":"no","cells":[[2,8]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.redefine(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#) { $0.cut() }
      stage.others(#""type":"mark","grade":"maybe","cells":[[8,10]],"generation":2"#)
      _ = try stage.resumes()
      try stage.expectState(.cells)
      try stage.mark(#""grade":"yes","cells":[[9,10]]"#, generation: 2)
      try stage.expectState(.marks)
    },
    Scene(
      "cells-snapshot", "the cells are numbered anew, and a snapshot has the marks", .hours
    ) {
      $0.outboxMessages = 8
    } play: { stage in
      try stage.begin()
      try stage.mark(#""grade":"no","cells":[[2,8]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.whileNotReading {
        // More than 8 in any case: the first message is sent before the server knows.
        for grade in ["yes", "no", "maybe", "yes", "no", "maybe"] {
          stage.others(#""type":"mark","grade":"\#(grade)","cells":[[0,6]],"generation":1"#)
        }
        stage.redefine(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#)
        for grade in ["no", "maybe", "yes", "no", "maybe", "yes"] {
          stage.others(#""type":"mark","grade":"\#(grade)","cells":[[6,10]],"generation":2"#)
        }
      }
      try stage.expectState(.snapshot)
      try stage.mark(#""grade":"yes","cells":[[9,10]]"#, generation: 2)
      try stage.expectState(.marks)
    },
    Scene("past-cells", "time passes: cells are past, and marks cannot be changed", .hours) {
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
    Scene("hidden-marks", "the host hides the results, and shows them again", .hidden) { stage in
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
