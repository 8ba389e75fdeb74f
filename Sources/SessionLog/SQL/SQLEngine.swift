/// The database of a store: its connections, and what differs between the databases beyond the
/// language.
///
/// Can be called on any thread, except for the functions that take the writing connection.
package protocol SQLEngine: AnyObject, Sendable {
  /// Where it is, without credentials, for messages.
  var location: String { get }
  /// Whether other processes write to it, too.
  var isClustered: Bool { get }
  /// Opens a connection that writes. There is one at a time; a lost one is replaced.
  func connect() throws -> any SQLConnection
  /// Whether a call may succeed if it is repeated: on another connection if this one is lost.
  func isTransient(_ error: any Error) -> Bool
  /// Whether an error has shown that the connection has ended.
  func isLost(_ error: any Error) -> Bool
  /// Whether the store cannot be written any more while the process runs.
  func isFinal(_ error: any Error) -> Bool
  /// Runs `body` in a transaction that only reads, on a connection that it may share with nobody.
  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value
  /// As ``read(_:)``; returns when all replicas that a commit waits for have what was read.
  func readConfirmed<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value
  /// A batch was committed.
  ///
  /// - Throws: ``StoreProblem`` if it is not where the next start looks for it.
  func committed(_ batch: Int) throws
  /// The bytes in use; `nil` if they are not known at once.
  func usedByteCount(_ connection: any SQLConnection) throws -> Int?
  /// The pages that a writing connection has written since the last call: a sign that
  /// ``usedByteCount(_:)`` has changed. Default: none, as where that is not known.
  func takeWrittenPageCount(_ connection: any SQLConnection) -> Int
  /// Checks that the store can be written.
  func probe(_ connection: any SQLConnection) throws
  /// Everything was committed, and the process ends.
  func settle(_ connection: any SQLConnection)
  /// Calls `body` on any thread when another process may have added events.
  func whenNotified(_ body: @escaping @Sendable () -> Void)
  /// The locks of the nodes; `nil` if the store has a single writer.
  var locks: (any NodeLocks)? { get }
}

extension SQLEngine {
  package func takeWrittenPageCount(_ connection: any SQLConnection) -> Int { 0 }
}

/// The locks by which the nodes of a database see which of them are alive: each holds one on its
/// number, on its writing connection.
package protocol NodeLocks: Sendable {
  /// Locks a node's number until the connection ends. Waits a short time for the end of a former
  /// connection of the node.
  ///
  /// - Returns: Whether it is locked.
  func lock(_ node: Int64, _ connection: any SQLConnection) throws -> Bool
  /// The numbers of the nodes that are alive.
  func living(_ connection: any SQLConnection) throws -> Set<Int64>
  /// Identifies the history of the database: another one if it was restored, or a replica was
  /// promoted.
  func history(_ connection: any SQLConnection) throws -> String
}
