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
    outboxBytes = settings[.outboxBytes]
    outboxesBytes = settings[.outboxesBytes]
    outboxMessages = settings[.outboxMessages]
    stalledMilliseconds = Int64(settings[.stalledMilliseconds])
    queueBytes = settings[.queueBytes]
    inboxBytes = settings[.inboxBytes]
    pendingBytes = settings[.pendingBytes]
    storeBytes = settings[.storeBytes]
    bodyBytes = settings[.bodyBytes]
    ticketStreamSeconds = settings[.ticketStreamSeconds]
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
  init(_ settings: LimitSettings) {
    self.init()
    nodesMax = settings[.definitionNodes]
    columnsMax = settings[.definitionColumns]
    monthsMax = settings[.definitionMonths]
    blockedMax = settings[.definitionBlocked]
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
    pongMilliseconds = settings[.pongMilliseconds]
    headerMilliseconds = settings[.headerMilliseconds]
    assemblyMilliseconds = settings[.messageMilliseconds]
    messageBytesMax = limits.messageBytes
    bodyBytesMax = limits.bodyBytes
    bodiesBytesMax = configuration.limits[.bodiesBytes]
    bodies = BodyBytes()
    unsent = UnsentBytes(byteCountMax: settings[.unsentBytes])
    self.log = { isError, line in
      if isError { log.warning("transport: \(line)") } else { log.info("transport: \(line)") }
    }
  }
}
