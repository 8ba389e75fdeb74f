import Foundation
import JSONText

/// What the client of a scene does.
extension Stage {
  /// Starts the client, and waits until it has joined and applied the snapshot.
  func begin() throws {
    try client.open(url)
    guard joins(within: patience + 10) != nil else {
      throw Breach(.join, "no join message within \(Int(patience + 10)) s")
    }
    try expectState(.snapshot)
  }

  /// The next join message; `nil` if none comes in time.
  func joins(within seconds: Double) -> JSONTree? {
    server.events.next(from: &cursor, within: seconds) { event in
      if case .joined(_, let join) = event { join } else { nil }
    }
  }

  /// Waits for the client to reconnect after its connection was lost; the first delay of its
  /// back-off is at most 1 s.
  func returns(_ clause: Clause, within seconds: Double = 2) throws -> JSONTree {
    guard let join = joins(within: patience + seconds) else {
      throw Breach(clause, "the client has not reconnected within \(patience + seconds) s")
    }
    return join
  }

  /// Waits for the client to reconnect as the same member.
  func resumes(_ clause: Clause = .resume) throws -> JSONTree {
    let member = onLoop { $0.member }
    let epoch = truth()["epoch"]
    let join = try returns(clause)
    guard let resume = join["resume"], resume["member"]?.string == member,
      resume["secret"]?.string != nil, resume["epoch"] == epoch, resume["revision"]?.integer != nil
    else {
      throw Breach(
        clause, "join has no valid resume with member, secret, epoch and revision: \(join.text)")
    }
    return resume
  }

  /// Checks that no join comes for some seconds.
  func staysAway(_ clause: Clause, for seconds: Double = 1.6) throws {
    if let join = joins(within: seconds) {
      throw Breach(clause, "the client has reconnected: \(join.text)")
    }
  }

  /// The next command of the client; `nil` if none comes in time.
  func command(within seconds: Double) -> JSONTree? {
    server.events.next(from: &cursor, within: seconds) { event in
      if case .command(_, let command) = event { command } else { nil }
    }
  }

  /// Makes the client's user act, and waits for the command that the client sends.
  @discardableResult
  func act(_ command: String) throws -> JSONTree {
    client.act(try! JSONTree.parse(Array("{\(command)}".utf8)))
    guard let sent = self.command(within: patience) else {
      throw Breach(.answer, "the client has not sent {\(command)} within \(patience) s")
    }
    guard let ref = sent["ref"]?.integer, ref >= 1 else {
      throw Breach(.answer, "the command has no positive ref: \(sent.text)")
    }
    return sent
  }

  /// Requests the client's state until it equals the server's, or fails after ``patience``.
  ///
  /// - Parameter alter: Applies the script's changes to the server's state.
  func expectState(_ clause: Clause, _ alter: (JSONTree) -> JSONTree = { $0 }) throws {
    let deadline = Date(timeIntervalSinceNow: patience)
    var difference = "the client has printed no state within \(patience) s"
    repeat {
      let left = max(0.05, deadline.timeIntervalSinceNow)
      guard let state = client.state(within: left) else { break }
      let truth = alter(self.truth())
      let role = truth["members"]?.array?.first { $0["id"]?.string == onLoop { $0.member } }
      guard
        let found = FoldedState.difference(
          of: state, from: truth, role: role?["role"]?.string)
      else { return }
      difference = found
      Thread.sleep(forTimeInterval: 0.02)
    } while Date() < deadline
    throw Breach(clause, difference)
  }
}
