import PickerHub
import PickerSession
import PickerWire

/// A running node: a hub, its connection to the log, and its sockets.
final class ClusterNode {
  let number: Int
  let log: NodeLog
  private(set) var hub: Hub!
  private let time: ClusterTime
  private let port: Port
  private var timerDue: Int64?
  private(set) var isAlive = true
  /// The maximum of members of a session.
  static let memberCountMax = 4

  /// - Parameters:
  ///   - sends: Called with a frame for a connection.
  ///   - closes: Called when the hub has closed a connection.
  init(
    number: Int, _ shared: SharedLog, _ random: RandomSource,
    sends: @escaping (ConnectionID, [UInt8]) -> Void,
    closes: @escaping (ConnectionID, UInt16) -> Void
  ) {
    self.number = number
    time = shared.time
    log = NodeLog(NodeIncarnation("n\(number)"), shared)
    port = Port(sends: sends, closes: closes)
    var configuration = HubConfiguration()
    configuration.limits.session.members = ClusterNode.memberCountMax
    configuration.limits.messagesPerSecond = 1000
    configuration.limits.memberMilliseconds = 2500
    hub = Hub(
      configuration, port: port, log: log, zones: SimulatedZones(), texts: SimulatedTexts(),
      identities: IdentitySource(random: random, digest: World.digest))
    log.hub = hub
    log.enter = { [unowned self] call in enter(call) }
    shared.join(log)
    log.poll()
  }

  /// Calls the hub, then sets its timer. Every call of the hub is made through this function.
  func enter(_ call: (Hub) -> Void) {
    guard isAlive else { return }
    call(hub)
    let due = hub.nextTimer(at: time.now, clockRuns: true)
    guard let due, timerDue.map({ due < $0 || $0 <= time.machine }) ?? true else { return }
    timerDue = due
    time.after(Int(due - time.machine)) { [weak self] in
      guard let self, isAlive, timerDue == due else { return }
      timerDue = nil
      enter { $0.timer(at: time.now) }
    }
  }

  func kill() {
    isAlive = false
    log.kill()
  }

  private final class Port: HubPort {
    private let sends: (ConnectionID, [UInt8]) -> Void
    private let closes: (ConnectionID, UInt16) -> Void

    init(
      sends: @escaping (ConnectionID, [UInt8]) -> Void,
      closes: @escaping (ConnectionID, UInt16) -> Void
    ) { (self.sends, self.closes) = (sends, closes) }

    func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
      sends(connection, Array(frame.bytes))
      return .sent
    }

    func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
      closes(connection, code)
    }
  }
}
