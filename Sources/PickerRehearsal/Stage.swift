import CivilTime
import CMachine
import Foundation
import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// The environment of a scene: a separate server, the client, and another member that acts through
/// the hub. Every function blocks the scene's thread until it is done, or throws a ``Breach``.
final class Stage {
  let client: any RehearsedClient
  /// The seconds that a client may take for each immediate reaction.
  let patience: Double
  let server: ScriptedServer
  let url: String
  /// The events of the server that the scene has seen.
  var cursor = 0
  /// The other member, once it has joined.
  var other: (member: String, secret: String, ref: Int)?
  private let thread: Thread

  init(
    _ client: any RehearsedClient, patience: Double, definition: String,
    limits: ServerLimits = ServerLimits()
  ) throws {
    self.client = client
    self.patience = patience
    let server = try ScriptedServer(definition, limits)
    self.server = server
    let port = try server.loop.listen(host: "127.0.0.1", port: 0)
    url = "ws://127.0.0.1:\(port)/v1/sessions/\(server.session)"
    thread = Thread { server.loop.run() }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Ends the client, closes the listener and cuts the connection.
  ///
  /// The loop keeps running without connections until the process ends: destroying a libwebsockets
  /// context while other threads open descriptors can abort the process.
  func end() {
    client.close()
    onLoop { server in
      server.loop.stopListening()
      server.cut()
    }
  }
}

extension Stage {
  var milliseconds: Int64 { machine_monotonic_ms() }

  func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
}

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

  /// Makes the client's user act.
  func give(_ command: String) { client.act(try! JSONTree.parse(Array("{\(command)}".utf8))) }

  /// Makes the client's user act, and waits for the command that the client sends.
  @discardableResult
  func act(_ command: String) throws -> JSONTree {
    give(command)
    guard let sent = self.command(within: patience) else {
      throw Breach(.answer, "the client has not sent {\(command)} within \(patience) s")
    }
    guard let ref = sent["ref"]?.integer, ref >= 1 else {
      throw Breach(.answer, "the command has no positive ref: \(sent.text)")
    }
    return sent
  }

  /// Waits for a command that the client has sent before, and checks that it is unchanged.
  ///
  /// - Parameter hits: What the user of a calendar saw; the first time they may be missing.
  @discardableResult
  func expectAgain(
    _ sent: JSONTree, _ clause: Clause = .resend, hits: Int? = nil
  ) throws -> JSONTree {
    guard let again = command(within: patience) else {
      throw Breach(.resend, "the unanswered command was not sent again: \(sent.text)")
    }
    if let hits, again["hits"] != .integer(hits) {
      throw Breach(.hits, "the user saw \(hits) hits: \(again.text)")
    }
    guard again.with(.null, at: "hits") == sent.with(.null, at: "hits") else {
      throw Breach(clause, "sent again with changes: \(again.text), not \(sent.text)")
    }
    return again
  }

  /// Checks the state, after a pause in which the client must have read everything that was sent.
  func expectLastingState(_ clause: Clause) throws {
    pause(0.1)
    try expectState(clause)
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

/// What happens at the server in a scene.
extension Stage {
  /// Runs `work` on the loop's thread.
  @discardableResult
  func onLoop<Answer: Sendable>(_ work: @escaping @Sendable (ScriptedServer) -> Answer) -> Answer {
    let box = AnswerBox<Answer>()
    let done = DispatchSemaphore(value: 0)
    let isAccepted = server.loop.post { [server] in
      box.answer = work(server)
      server.rearm()
      done.signal()
    }
    precondition(isAccepted, "the loop of a scene runs until the process ends")
    done.wait()
    return box.answer!
  }

  /// The response to `GET` of the session.
  func truth() -> JSONTree {
    onLoop { server in
      var body: JSONTree?
      server.hub.begin { host throws(HubProblem) in
        try await host.read(server.session, token: nil, locale: nil, isFull: false, at: server.now)
      } answer: {
        if case .success(let bytes) = $0 { body = try? JSONTree.parse(bytes) }
      }
      return body ?? .null
    }
  }

  /// Sets the session's clock; due ticks are applied.
  func clock(_ instant: String) {
    onLoop { server in
      server.sessionTime = Instant(rfc3339: instant.utf8)!
      server.hub.clockSet(at: server.now) {}
    }
  }

  /// Adds the other member, without a connection, as a client of the HTTP API does.
  func joinOther() {
    let welcome = onLoop { server in
      var welcome: JSONTree?
      let request = try! MemberRequest(Array("{\"name\":\"Other\"}".utf8))
      server.hub.addMember(to: server.session, request, token: nil, at: server.now) {
        if case .success(let bytes) = $0 { welcome = try? JSONTree.parse(bytes) }
      }
      return welcome
    }
    let member = welcome?["member"]
    other = (member?["id"]?.string ?? "", member?["secret"]?.string ?? "", 0)
  }

  /// Makes the other member post commands.
  ///
  /// - Parameter commands: The JSON members of each command, without braces and `ref`.
  func others(
    _ commands: String..., after prepare: @escaping @Sendable (ScriptedServer) -> Void = { _ in }
  ) {
    apply(.commands(commands), after: prepare)
  }

  /// Makes the other member or the host change something.
  ///
  /// - Parameter prepare: Done before that, without anything between.
  func apply(
    _ change: Part.Change, after prepare: @escaping @Sendable (ScriptedServer) -> Void = { _ in }
  ) {
    switch change {
    case .commands(let commands): post(commands, after: prepare)
    case .patch(let patch): redefine(patch, after: prepare)
    }
  }

  private func post(
    _ commands: [String], after prepare: @escaping @Sendable (ScriptedServer) -> Void
  ) {
    if other == nil { joinOther() }
    let bodies = commands.map { command in
      other!.ref += 1
      return "{\"member\":\"\(other!.member)\",\"secret\":\"\(other!.secret)\","
        + "\"ref\":\(other!.ref),\(command)}"
    }
    onLoop { server in
      prepare(server)
      for body in bodies {
        let request = try! CommandRequest(Array(body.utf8))
        server.hub.post(
          request, to: server.session, token: nil, locale: nil, at: server.now
        ) { _ in }
      }
    }
  }

  /// Patches the definition.
  func redefine(
    _ patch: String, after prepare: @escaping @Sendable (ScriptedServer) -> Void = { _ in }
  ) {
    onLoop { server in
      prepare(server)
      let request = DocumentRequest(
        format: .mergePatch, body: Array(patch.utf8), versions: nil, valuesMax: 100_000)
      server.hub.begin { host throws(HubProblem) in
        try await host.change(.definition, of: server.session, request, token: nil, at: server.now)
      } answer: { _ in
      }
    }
  }

  /// Patches the notes.
  func note(_ patch: String) {
    onLoop { server in
      let request = DocumentRequest(
        format: .mergePatch, body: Array(patch.utf8), versions: nil, valuesMax: 100_000)
      server.hub.begin { host throws(HubProblem) in
        try await host.change(.notes, of: server.session, request, token: nil, at: server.now)
      } answer: { _ in
      }
    }
  }

  func script(_ change: @escaping @Sendable (inout ScriptedServer.Script) -> Void) {
    onLoop { change(&$0.script) }
  }

  /// Sends the client a message of the script.
  func write(_ message: String) {
    onLoop { server in
      guard let connection = server.connection else { return }
      server.write(try! JSONTree.parse(Array(message.utf8)), to: connection)
    }
  }

  /// Closes the client's connection with a code, after a last message.
  func close(_ code: UInt16, last: String? = nil) {
    onLoop { server in
      guard let connection = server.connection else { return }
      server.close(connection, code: code, reason: "", last: last.map { Frame($0.utf8) })
    }
  }

  /// Cuts the client's connection without a close frame, as in a tunnel.
  func cut() { onLoop { $0.cut() } }

  /// Makes the client's commands get lost, until ``ScriptedServer/cutAndDeliver()``.
  func swallowCommands() {
    script { $0.swallows = { _, _, message in message["ref"] != nil } }
  }

  /// Does what happens while the client does not read.
  func whileNotReading(_ work: () throws -> Void) rethrows {
    script { $0.isFull = true }
    try work()
    onLoop { server in
      server.script.isFull = false
      if let connection = server.connection { server.writable(connection) }
    }
  }
}

extension ScriptedServer {
  func cut() {
    if let connection { loop.drop(connection) }
  }

  /// Cuts the client's connection; messages of the next one reach the hub.
  func cutAndDeliver() {
    script.swallows = nil
    cut()
  }
}

/// Passes an answer from the loop's thread; a semaphore orders the accesses.
private final class AnswerBox<Answer>: @unchecked Sendable {
  var answer: Answer?
}
