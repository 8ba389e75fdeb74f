import PickerSession

/// A scheduled event of a simulated world.
enum Event {
  /// A client acts at random.
  case act(client: Int)
  /// A client's timer fires. Ignored unless `setting` is the last one.
  case clientTimer(client: Int, setting: Int)
  case reachHub(ConnectionID, Upward)
  case reachClient(ConnectionID, Downward)
  /// A socket is writable again.
  case writable(ConnectionID)
  /// Work of a node, its store or the database.
  case work(() -> Void)
  /// Work on another thread has finished.
  case background(Int)
  /// The sessions' clock is set.
  case clockJump
  /// The store starts failing (`true`) or recovers.
  case storeFails(Bool)
  /// An HTTP request to read or delete a session.
  case request
  /// The host decides on confirmations.
  case host
  /// The server process is killed and restarted.
  case crash
  /// A fault of a cluster.
  case harm
}

/// Something that reaches the hub from a client.
enum Upward {
  case opened(bearer: String?)
  case text([UInt8])
  case closed
}

/// Something that reaches a client from the hub.
enum Downward {
  case opened
  case frame([UInt8])
  case closed(code: UInt16)
}
