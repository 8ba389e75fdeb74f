/// What happens to a client: the world and the person, as values.
public enum ClientEvent: Hashable, Sendable {
  case start
  /// Hangs up without leaving; the server keeps the member for 120 s.
  case stop
  case leave
  /// The socket is open.
  case opened
  /// A whole text message, UTF-8.
  case received([UInt8])
  /// The socket is gone, and not by us; 1006 when the network was lost or never there.
  case closed(code: Int, reason: String = "")
  /// The time is ``ClientMachine/nextTick``, or later.
  case tick
  /// The network came back, or a person asks for it: no need to wait any longer.
  case retry
  /// A new token, after ``PickerPhase/needsCredentials(code:)``.
  case token(String)
  case command(PickerCommand)
  /// The months in view from now on.
  case look(from: PickerMonth, count: Int)
  /// Rows that come into view; asked for if they are not known.
  case want(column: Int, rows: ClosedRange<Int>)
  /// A finger is here; `nil`: lifted.
  case touch(PickerTouch?)
}

/// What is to be done about it.
public enum ClientEffect: Hashable, Sendable {
  /// Dial, with the subprotocol `pickerd.v1`.
  case connect
  /// Forget the socket; nothing that it says counts any more.
  case hangUp
  /// Send a text message.
  case send(String)
  /// ``ClientMachine/state`` is different.
  case changed
  case notice(PickerNotice)
  /// The answer to the command with this ref: the revision at which it is done, or why not.
  case settled(ref: Int, Result<Int, PickerFailure>)
}

/// Who joins, and how they read.
public struct ClientProfile: Hashable, Sendable {
  /// At most 64 characters; `nil`: the server says `guest`.
  public var name: String?
  /// BCP 47; `nil`: the definition's.
  public var locale: String?
  /// Where a server asks for tokens.
  public var token: String?

  public init(name: String? = nil, locale: String? = nil, token: String? = nil) {
    self.name = name
    self.locale = locale
    self.token = token
  }
}

/// What makes a later connection the same member: keep it where secrets are kept.
public struct ClientIdentity: Hashable, Sendable, Codable {
  public let member: String
  public let secret: String
  public let epoch: String
  /// The greatest ref given out so far.
  public var ref: Int

  public init(member: String, secret: String, epoch: String, ref: Int) {
    self.member = member
    self.secret = secret
    self.epoch = epoch
    self.ref = ref
  }
}
