import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// Where a scene is played: a server of its own, the client, and another member who acts through
/// the hub. Every call blocks the scene's thread until it is done, or throws a ``Breach``.
final class Stage {
  let client: any RehearsedClient
  /// Seconds within which a client does what it should do at once.
  let patience: Double
  private let server: ScriptedServer
  private let url: String
  private var cursor = 0
  private var other: (member: String, secret: String, ref: Int)?
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

  /// Ends the client, and serves nobody any more.
  ///
  /// The loop goes on without connections until the process ends: destroying a libwebsockets
  /// context while other threads open descriptors has aborted the process.
  func end() {
    client.close()
    onLoop { server in
      server.loop.stopListening()
      server.cut()
    }
  }

  // MARK: The server's side

  /// Does something on the loop's thread.
  @discardableResult
  func onLoop<Answer: Sendable>(_ work: @escaping @Sendable (ScriptedServer) -> Answer) -> Answer {
    let box = AnswerBox<Answer>()
    let done = DispatchSemaphore(value: 0)
    let isTaken = server.loop.post { [server] in
      box.answer = work(server)
      server.rearm()
      done.signal()
    }
    precondition(isTaken, "the scene's loop runs until its end")
    done.wait()
    return box.answer!
  }

  /// The session as `GET` answers it.
  func truth() -> JSONTree {
    onLoop { server in
      var body: JSONTree?
      server.hub.read(server.session, token: nil, locale: nil, isFull: false, at: server.now) {
        if case .success(let bytes) = $0 { body = try? JSONTree.parse(bytes) }
      }
      return body ?? .null
    }
  }

  /// Sets the session's clock; overdue ticks are done.
  func clock(_ instant: String) {
    onLoop { server in
      server.sessionTime = Instant(rfc3339: instant.utf8)!
      server.hub.clockSet(at: server.now) {}
    }
  }

  /// Has the other member join; offline, as one that uses HTTP.
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

  /// Has the other member give commands: members of the wire's objects, without ref.
  func others(
    _ commands: String..., after prepare: @escaping @Sendable (ScriptedServer) -> Void = { _ in }
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
  func redefine(_ patch: String) {
    onLoop { server in
      let request = DefinitionRequest(
        format: .mergePatch, body: Array(patch.utf8), versions: nil, valuesMax: 100_000)
      server.hub.redefine(server.session, request, token: nil, at: server.now) { _ in }
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

  /// Closes the client's connection with a code, behind a last message.
  func close(_ code: UInt16, last: String? = nil) {
    onLoop { server in
      guard let connection = server.connection else { return }
      server.close(connection, code: code, reason: "", last: last.map { Frame($0.utf8) })
    }
  }

  /// Cuts the client's connection, as a tunnel does.
  func cut() { onLoop { $0.cut() } }

  // MARK: The client's side

  /// Starts the client and waits until it has joined and folded the snapshot.
  func begin() throws {
    try client.open(url)
    guard joins(within: patience + 10) != nil else {
      throw Breach(.join, "no join message has come within \(Int(patience + 10)) s")
    }
    try expectState(.snapshot)
  }

  /// The next join message, if one comes in time.
  func joins(within seconds: Double) -> JSONTree? {
    server.events.next(from: &cursor, within: seconds) { event in
      if case .joined(_, let join) = event { join } else { nil }
    }
  }

  /// Waits for the client to come back after its connection was lost; the first wait of its
  /// back-off is 1 s at most.
  func returns(_ clause: Clause, within seconds: Double = 2) throws -> JSONTree {
    guard let join = joins(within: patience + seconds) else {
      throw Breach(clause, "the client has not come back within \(patience + seconds) s")
    }
    return join
  }

  /// Waits for the client to come back as the same member.
  func resumes(_ clause: Clause = .resume) throws -> JSONTree {
    let member = onLoop { $0.member }
    let epoch = truth()["epoch"]
    let join = try returns(clause)
    guard let resume = join["resume"], resume["member"]?.string == member,
      resume["secret"]?.string != nil, resume["epoch"] == epoch, resume["revision"]?.integer != nil
    else {
      throw Breach(
        clause, "join has no resume with member, secret, epoch and revision: \(join.text)")
    }
    return resume
  }

  /// Checks that no join comes for some seconds.
  func staysAway(_ clause: Clause, for seconds: Double = 1.6) throws {
    if let join = joins(within: seconds) {
      throw Breach(clause, "the client has come back: \(join.text)")
    }
  }

  /// The next command of the client, if one comes in time.
  func command(within seconds: Double) -> JSONTree? {
    server.events.next(from: &cursor, within: seconds) { event in
      if case .command(_, let command) = event { command } else { nil }
    }
  }

  /// Has the client's user give a command, and waits for it on the wire.
  @discardableResult
  func act(_ command: String) throws -> JSONTree {
    client.act(try! JSONTree.parse(Array("{\(command)}".utf8)))
    guard let sent = self.command(within: patience) else {
      throw Breach(.answer, "the client has not sent {\(command)} within \(patience) s")
    }
    guard let ref = sent["ref"]?.integer, ref >= 1 else {
      throw Breach(.answer, "the command has no ref from 1 on: \(sent.text)")
    }
    return sent
  }

  /// Asks the client for its state until it is the server's, or time is up.
  ///
  /// - Parameter alter: What the script has made of the server's state.
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

extension ScriptedServer {
  func cut() {
    if let connection { loop.drop(connection) }
  }
}

/// Carries an answer from the loop's thread; the semaphore orders the accesses.
private final class AnswerBox<Answer>: @unchecked Sendable {
  var answer: Answer?
}

extension JSONTree {
  /// This object with the value at a path of names replaced.
  func with(_ value: JSONTree, at path: String...) -> JSONTree { with(value, at: path[...]) }

  private func with(_ value: JSONTree, at path: ArraySlice<String>) -> JSONTree {
    guard let name = path.first else { return value }
    let inner = (self[name] ?? .null).with(value, at: path.dropFirst())
    let rest = (members ?? []).filter { $0.key != name }
    return .object(rest + [Member(name, inner)])
  }

  /// This message with members in front of the elements of its `changes`.
  func adding(_ more: [Member], change: JSONTree? = nil) -> JSONTree {
    var result = JSONTree.object((members ?? []) + more)
    if let change, let changes = self["changes"]?.array {
      result = result.with(.array([change] + changes), at: "changes")
    }
    return result
  }
}

extension Stage {
  var milliseconds: Int64 { SocketLoop.monotonicMilliseconds() }

  func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
}

enum Frames {
  static func frame(_ text: String) -> Frame { Frame(text.utf8) }
}
