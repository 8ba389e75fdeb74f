import CMachine
import PickerHub
import WebSocketTransport

/// The metrics of one loop, or their sums over several.
struct LoopFigures: Sendable {
  var counted: HubCounters
  var sockets: SocketLoopCounters
  var responses: ResponseCounts
  var buffers: BufferFigures
  var sessionCount, residentCount, deltaEncodeCount: Int
  var messageSeconds, deliverySeconds, lastDeliverySeconds, iterationSeconds: Histogram
  /// CPU time of the loop's thread.
  let microseconds: Int64

  /// Must be called on the loop's thread.
  init(_ transport: HubTransport) {
    counted = transport.hub.counters
    sockets = transport.loop.counters
    responses = transport.responses
    buffers = BufferFigures(transport.hub.buffered)
    buffers.pausedConnections += transport.heldMessageCount
    sessionCount = transport.hub.sessionCount
    residentCount = transport.hub.residentCount
    deltaEncodeCount = transport.hub.encoder.deltaEncodeCount
    messageSeconds = transport.latencies.messageSeconds
    deliverySeconds = transport.latencies.deliverySeconds
    lastDeliverySeconds = transport.latencies.lastDeliverySeconds
    iterationSeconds = transport.loop.iterationSeconds
    microseconds = machine_thread_us()
  }

  static func += (sum: inout LoopFigures, other: LoopFigures) {
    sum.counted += other.counted
    sum.sockets += other.sockets
    sum.responses += other.responses
    sum.buffers += other.buffers
    sum.sessionCount += other.sessionCount
    sum.residentCount += other.residentCount
    sum.deltaEncodeCount += other.deltaEncodeCount
    sum.messageSeconds += other.messageSeconds
    sum.deliverySeconds += other.deliverySeconds
    sum.lastDeliverySeconds += other.lastDeliverySeconds
    sum.iterationSeconds += other.iterationSeconds
  }
}

/// The ``HubBuffers`` of one hub, or their sums over several.
struct BufferFigures: Sendable {
  var stepBytes, inboxBytes, outboxBytes: Int
  var writeBlockedConnections, pausedConnections: Int

  init(_ buffers: HubBuffers) {
    stepBytes = buffers.stepBytes
    inboxBytes = buffers.inboxBytes
    outboxBytes = buffers.outboxBytes
    writeBlockedConnections = buffers.writeBlockedConnections
    pausedConnections = buffers.pausedConnections
  }

  static func += (sum: inout BufferFigures, other: BufferFigures) {
    sum.stepBytes += other.stepBytes
    sum.inboxBytes += other.inboxBytes
    sum.outboxBytes += other.outboxBytes
    sum.writeBlockedConnections += other.writeBlockedConnections
    sum.pausedConnections += other.pausedConnections
  }
}
