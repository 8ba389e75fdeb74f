import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

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
      server.hub.read(server.session, token: nil, locale: nil, isFull: false, at: server.now) {
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

  /// Patches the notes.
  func note(_ patch: String) {
    onLoop { server in
      let request = DefinitionRequest(
        format: .mergePatch, body: Array(patch.utf8), versions: nil, valuesMax: 100_000)
      server.hub.changeNotes(of: server.session, request, token: nil, at: server.now) { _ in }
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
}

extension ScriptedServer {
  func cut() {
    if let connection { loop.drop(connection) }
  }
}

/// Passes an answer from the loop's thread; a semaphore orders the accesses.
private final class AnswerBox<Answer>: @unchecked Sendable {
  var answer: Answer?
}
