/// What is buffered in a hub now, in total over its sessions and connections. Kept up to date where
/// a buffer changes, so that reading it costs nothing.
package final class HubBuffers {
  /// Steps that wait for the log, see ``StepQueue``.
  package internal(set) var stepBytes = 0
  /// Those that time has caused: ticks, and leaves of members.
  var timedStepCount = 0
  /// Messages that wait for their session to be loaded, see ``Inbox``.
  package internal(set) var inboxBytes = 0
  /// Pending messages of write-blocked connections, see ``Outbox``.
  package internal(set) var outboxBytes = 0
  package internal(set) var writeBlockedConnections = 0
  /// Connections from which the hub does not read.
  package internal(set) var pausedConnections = 0

  init() {}
}
