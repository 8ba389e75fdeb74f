import JSONText
import PickerClient

/// A shipped client, with the messages that it received and the outcomes that it reported.
final class WireClient {
  private(set) var machine: ClientMachine
  var wire: Wire?
  /// The revision of the last delta or welcome.
  private(set) var revision = 0
  private(set) var outcomes: [Int: Result<Int, PickerFailure>] = [:]
  private(set) var commandCount = 0

  init(named name: String, token: String) {
    machine = ClientMachine(ClientProfile(name: name, token: token), jitter: { 0.5 })
  }

  var state: ClientState { machine.state }

  /// Whether it is connected and all commands have an outcome.
  var isSettled: Bool {
    state.connection == .live && state.pendingCount == 0 && outcomes.count == commandCount
  }

  func handle(_ event: ClientEvent, at now: Int64) -> [ClientEffect] {
    if case .command = event { commandCount += 1 }
    return machine.handle(event, at: now)
  }

  /// Records the outcome of a command.
  ///
  /// - Throws: If the command already has one, or it failed.
  func settle(_ ref: Int, _ result: Result<Int, PickerFailure>) throws(ProtocolBreach) {
    guard outcomes.updateValue(result, forKey: ref) == nil else {
      throw ProtocolBreach("a command is settled once: ref \(ref)")
    }
    guard case .success = result else {
      throw ProtocolBreach("every command is executed: ref \(ref), \(result)")
    }
  }

  /// Records a received message.
  ///
  /// - Throws: If a delta is missing or duplicate.
  func note(_ bytes: [UInt8]) throws(ProtocolBreach) {
    let message: JSONTree
    do throws(JSONError) {
      message = try JSONTree.parse(bytes)
    } catch {
      throw ProtocolBreach("a frame is one complete message: \(error)")
    }
    switch try message.text("type") {
    case "delta":
      revision += 1
      guard try message.number("revision") == revision else {
        throw ProtocolBreach("every delta arrives once: \(revision), not \(message.shown)")
      }
    case "welcome":
      let isResumed = try message.flag("resumed")
      let now = try message.number("revision")
      if isResumed, now != revision {
        throw ProtocolBreach("resuming continues at \(revision): \(message.shown)")
      }
      revision = now
    case "snapshot", "error", "refused": throw ProtocolBreach("not needed: \(message.shown)")
    default: break
    }
  }
}
