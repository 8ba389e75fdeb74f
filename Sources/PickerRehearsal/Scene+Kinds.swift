import JSONText

/// Scenes that are played with several kinds of pickers.
extension Scene {
  static let several =
    cutCommand + cutAnswer + resume + early + lateCommand + lateConfirm + lateAgain + refusal
    + clamp + status + slowLink

  private static let cutCommand = each(
    "cut-command", "the connection is lost before a command arrives", .lists, .calendar, .hours
  ) { stage, part in
    try stage.begin()
    stage.script { script in
      script.swallows = { server, _, message in
        guard message["ref"] != nil else { return false }
        server.script.swallows = nil
        server.cut()
        return true
      }
    }
    let sent = try stage.act(part.user[0])
    _ = try stage.resumes()
    try stage.expectAgain(sent, hits: part.kind == .calendar ? 0 : nil)
    try stage.expectState(.resend)
  }

  private static let cutAnswer = each(
    "cut-answer", "the connection is lost before the answer arrives; it may come twice",
    .lists, .calendar, .hours
  ) { stage, part in
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
    try stage.act(part.user[0])
    _ = try stage.resumes()
    try stage.expectLastingState(.twice)
  }

  private static let resume = each(
    "resume", "the connection is lost while others act; the missed deltas follow",
    .lists, .calendar, .hours
  ) { stage, part in
    try stage.begin()
    let first = try stage.act(part.user[0])
    try stage.expectState(.fold)
    let revision = stage.truth()["revision"]
    stage.apply(part.change) { $0.cut() }
    let resume = try stage.resumes()
    guard resume["revision"] == revision else {
      throw Breach(
        .resume, "resumes at \(resume["revision"]!.text) instead of \(revision?.text ?? "")")
    }
    try stage.expectState(.resume)
    let second = try stage.act(part.user[1])
    guard let before = first["ref"]?.integer, let after = second["ref"]?.integer, after > before
    else {
      throw Breach(.growing, "first \(first.text), after reconnecting \(second.text)")
    }
    try stage.expectState(.fold)
  }

  private static let early = each(
    "early-command", "the user acts between join and welcome, while another command is unanswered",
    .lists, .calendar, .hours
  ) { stage, part in
    try stage.begin()
    stage.swallowCommands()
    let first = try stage.act(part.user[0])
    stage.onLoop { server in
      server.script.holds = true
      server.cutAndDeliver()
    }
    _ = try stage.resumes()
    stage.give(part.user[1])
    if let early = stage.command(within: 0.5) {
      throw Breach(.early, "sent before the welcome: \(early.text)")
    }
    stage.onLoop { $0.release() }
    try stage.expectAgain(first)
    guard let second = stage.command(within: stage.patience) else {
      throw Breach(.early, "not sent after the welcome: {\(part.user[1])}")
    }
    guard let before = first["ref"]?.integer, let after = second["ref"]?.integer, after > before
    else {
      throw Breach(.growing, "first \(first.text), then \(second.text)")
    }
    try stage.expectState(.resend)
  }

  private static let lateCommand = each(
    "late-command", "a command is lost, and is sent again as the user saw it, after a change",
    .date.with(
      user: [Part.select(2, 30), Part.select(2, 14)],
      change: .commands([Part.select(1, 1, generation: 1)])),
    .calendar.with(
      user: [Part.tap("2026-11-03"), Part.tap("2026-11-05")],
      change: .commands([Part.tap("2026-11-04")])),
    .hours.with(
      user: [Part.mark("maybe", "[1,4]"), Part.mark("no", "[2,3]")],
      change: .patch(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#))
  ) { stage, part in
    try stage.begin()
    try stage.act(part.user[0])
    try stage.expectState(.fold)
    stage.swallowCommands()
    let sent = try stage.act(part.user[1])
    stage.apply(part.change) { $0.cutAndDeliver() }
    _ = try stage.resumes()
    try stage.expectAgain(sent, hits: part.kind == .calendar ? 1 : nil)
    try stage.expectState(.resend)
  }

  private static let lateConfirm = each(
    "late-confirm", "the user confirms before the change of another member arrives",
    .lists, .calendar
  ) { stage, part in
    try stage.begin()
    stage.apply(part.change)
    try stage.expectState(.fold)
    let seen = stage.truth()["revision"]
    stage.script { $0.holds = true }
    stage.apply(part.change)
    let confirm = try stage.act(#""type":"confirm""#)
    stage.onLoop { $0.release() }
    guard confirm["at"] == seen else {
      throw Breach(.late, "the user saw revision \(seen?.text ?? ""): \(confirm.text)")
    }
    try stage.expectState(.late)
  }

  private static let lateAgain = each(
    "late-again", "a confirm is lost, and arrives after a change of another member",
    .lists, .calendar
  ) { stage, part in
    try stage.begin()
    stage.swallowCommands()
    let confirm = try stage.act(#""type":"confirm""#)
    stage.apply(part.change) { $0.cutAndDeliver() }
    _ = try stage.resumes()
    let again = try stage.expectAgain(confirm, .again)
    guard again["at"] == .integer(0) else {
      throw Breach(.again, "the user saw revision 0: \(again.text)")
    }
    try stage.expectState(.again)
  }

  private static let clamp = each(
    "clamp", "a value beyond the possible ones is clamped",
    .date.with(user: [Part.select(2, 30), Part.select(1, 1)]),
    .calendar.with(user: [Part.tap("2026-11-03"), Part.tap("2026-11-13")])
  ) { stage, part in
    try stage.begin()
    try stage.act(part.user[0])
    try stage.expectState(.fold)
    try stage.act(part.user[1])
    try stage.expectState(.clamp)
  }

  private static let status = each(
    "status", "the owner confirms", .lists,
    .calendar.with(user: [Part.tap("2026-11-03"), Part.tap("2026-11-05")])
  ) { stage, part in
    try stage.begin()
    for command in part.user { try stage.act(command) }
    try stage.expectState(.result)
    try stage.act(#""type":"confirm""#)
    try stage.expectState(.fold)
  }

  private static let slowLink = each(
    "slow-link", "the client does not read for a while and gets one snapshot", .lists, .hours
  ) {
    $0.outboxMessages = 8
  } play: { stage, part in
    try stage.begin()
    try stage.whileNotReading {
      for _ in 0..<6 { stage.apply(part.change) }
      try stage.act(part.user[0])
      for _ in 0..<6 { stage.apply(part.change) }
    }
    try stage.expectState(.snapshot)
  }
}

/// The refusals: with the change that a command of the kind would have made.
extension Scene {
  private static let refusal = each(
    "refusal", "a command is refused, and the refusal contains changes",
    .lists, .calendar.with(user: [Part.tap("2026-11-18"), Part.tap("2026-11-16")])
  ) { stage, part in
    try stage.begin()
    try stage.act(part.user[0])
    try stage.expectState(.answer)
    let revision = stage.truth()["revision"]?.integer ?? 0
    let isCalendar = part.kind == .calendar
    let change =
      isCalendar
      ? #"{"change":"range","start":"2026-11-05","end":"2026-11-07","hits":2}"#
      : #"{"change":"row","column":0,"row":3,"key":"d","text":"d"}"#
    let reason =
      isCalendar
      ? #""code":"blocked","params":{"date":"2026-11-16"}"#
      : #""code":"noSuchRow","params":{"count":3}"#
    stage.script { script in
      script.swallows = { server, connection, message in
        guard let ref = message["ref"]?.integer else { return false }
        let refusal = """
          {"type":"refused","ref":\(ref),\(reason),"detail":"scripted",\
          "revision":\(revision),"changes":[\(change)]}
          """
        server.write(try! JSONTree.parse(Array(refusal.utf8)), to: connection)
        return true
      }
    }
    try stage.act(part.user[1])
    let changed = try! JSONTree.parse(Array(change.utf8))
    try stage.expectState(.refused) { truth in
      guard var columns = truth["snapshot"]?["columns"]?.array else {
        return truth.with(changed, at: "snapshot", "calendar", "range")
      }
      columns[0] = columns[0].with(.integer(3), at: "row")
      return truth.with(.array(columns), at: "snapshot", "columns")
    }
  }
}
