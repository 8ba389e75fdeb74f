import Logging
import PickerModel
package import PickerWire
import WebSocketTransport

// Converts the settings to the limits of each module.

extension ServerLimits {
  package init(_ settings: LimitSettings) {
    self.init()
    messageBytes = settings[.messageBytes]
    joinMilliseconds = Int64(settings[.joinMilliseconds])
    memberMilliseconds = Int64(settings[.memberMilliseconds])
    messagesPerSecond = settings[.messagesPerSecond]
    sessions = settings[.sessions]
    sessionsBytes = settings[.sessionsBytes]
    outboxBytes = max(65_536, settings[.bufferBytes] / 256)
    outboxesBytes = settings[.bufferBytes]
    pendingBytes = settings[.bufferBytes] / 4
    stalledMilliseconds = Int64(settings[.stalledMilliseconds])
    storeBytes = settings[.storeBytes]
    bodyBytes = settings[.bodyBytes]
    ttlSeconds = settings[.ttlSeconds]
    session.months = settings[.months]
    session.rows = settings[.rows]
    session.windowRows = settings[.windowRows]
    session.refs = settings[.refs]
    session.undo = settings[.undo]
    session.runs = settings[.runs]
    session.history = settings[.history]
    session.members = settings[.members]
    session.logBytes = settings[.logBytes]
  }
}

extension DefinitionLimits {
  /// The maximum number of JSON values in a request with a definition. No definition within the
  /// limits has more: a node has at most four values (itself, text, key and children), a window
  /// three, one of the week also a list of up to seven days.
  var bodyValuesMax: Int {
    4 * nodesMax + 9 * blockedMax + datesMax * (1 + 3 * windowsMax) + 3 * takenMax
      + 11 * windowsMax + 4096
  }
}

extension SocketLoopConfiguration {
  init(
    _ configuration: ServerConfiguration, _ limits: ServerLimits, _ log: Logger,
    isProxy: @escaping @Sendable (_ address: String) -> Bool
  ) {
    self.init()
    subprotocols = [HubTransport.subprotocol]
    pathPrefix = configuration.publicURL?.path ?? ""
    let settings = configuration.limits
    connectionsMax = settings[.connections]
    addressConnectionsMax = settings[.connectionsPerAddress]
    if configuration.loops > 1 {
      connections = ConnectionCount(
        connectionsMax: connectionsMax, addressConnectionsMax: addressConnectionsMax)
    }
    self.isProxy = isProxy
    pingMilliseconds = settings[.pingMilliseconds]
    pongMilliseconds = settings[.pingMilliseconds] + 10_000
    headerMilliseconds = settings[.joinMilliseconds]
    assemblyMilliseconds = settings[.joinMilliseconds]
    messageBytesMax = limits.messageBytes
    bodyBytesMax = limits.bodyBytes
    bodiesBytesMax = max(bodyBytesMax, settings[.bufferBytes] / 4)
    bodies = BodyBytes()
    unsent = UnsentBytes(byteCountMax: settings[.bufferBytes])
    self.log = { isError, line in
      if isError { log.warning("transport: \(line)") } else { log.info("transport: \(line)") }
    }
  }
}
