import JSONText

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
