/// An input of ``ClientMachine``: an event of the network, the clock or the app.
public enum ClientEvent: Hashable, Sendable {
  case start
  /// Disconnect without leaving. The member can reconnect within 120 s.
  case stop
  case leave
  /// The socket is open.
  case opened
  /// A complete text message in UTF-8.
  case received([UInt8])
  /// The server or the network closed the socket, or it could not be opened. The code is 1006
  /// without a close frame.
  case closed(code: Int, reason: String = "")
  /// The time has reached ``ClientMachine/nextTick``.
  case tick
  /// Reconnect immediately, or check the connection: the network is back, or the user asks for it.
  case retry
  /// A new token from the app: renews that of an open connection, or connects with it.
  case token(String)
  /// The answer to ``ClientEffect/requestToken``.
  case tokenProvided(String)
  /// There is no answer to ``ClientEffect/requestToken``: for now, or, if it is final, because the
  /// user has no access any more.
  case tokenUnavailable(isFinal: Bool)
  /// A command, and the state that its user saw; `nil`: the current one.
  case command(PickerCommand, seen: PickerState? = nil)
  /// The app displays these months from now on.
  case look(from: PickerMonth, count: Int)
  /// The app is about to display these rows. They are requested if they are not loaded.
  case want(column: Int, rows: ClosedRange<Int>)
  /// Find rows of a column. It is settled with ``ClientMachine/nextFind``.
  case find(String, column: Int, limit: Int)
  /// The position of this member's finger, or of its pointer with `isHover`; `nil` when the finger
  /// is lifted or the pointer has gone.
  case touch(PickerTouch?, isHover: Bool = false)
}

/// An output of ``ClientMachine``, which its owner must carry out.
public enum ClientEffect: Hashable, Sendable {
  /// Open a WebSocket with the subprotocol `pickerd.v1`, and close the previous one.
  case connect
  /// Close the socket. Do not pass its further events to the machine.
  case disconnect
  /// Get a new token, and answer with ``ClientEvent/tokenProvided(_:)`` or
  /// ``ClientEvent/tokenUnavailable(isFinal:)``. Only for machines with `renewsTokens`; one request
  /// at a time.
  case requestToken
  /// Send a text message.
  case send(String)
  /// ``ClientMachine/state`` has changed.
  case changed
  case notice(PickerNotice)
  /// The command with this ref is done at a revision, or has failed. Each command gets exactly one.
  case settled(ref: Int, Result<Int, PickerFailure>)
  /// The rows that the search with this number has found, or why it has none. Each gets exactly
  /// one.
  case found(id: Int, Result<PickerFound, PickerFailure>)
}

/// The properties with which a member joins.
public struct ClientProfile: Hashable, Sendable {
  /// At most 64 characters; default: `guest`.
  public var name: String?
  /// The language of all texts, a BCP 47 tag; default: that of the definition.
  public var locale: String?
  /// The token of a session with tokens; default: none.
  public var token: String?
  /// The zone in which the times of an `availability` are laid out, an IANA name; default: that of
  /// the definition.
  public var timeZone: String?

  public init(
    name: String? = nil, locale: String? = nil, token: String? = nil, timeZone: String? = nil
  ) {
    self.name = name
    self.locale = locale
    self.token = token
    self.timeZone = timeZone
  }
}

/// The credentials of a member, which a later connection needs to be the same member.
///
/// Contains a secret: store it in the keychain. See ``PickerConnection/identity`` for an example.
public struct ClientIdentity: Hashable, Sendable, Codable {
  public let member: String
  public let secret: String
  public let epoch: String
  /// The greatest ref that this member has used. The next command gets a greater one.
  public var ref: Int

  /// Restores an identity from its stored parts.
  public init(member: String, secret: String, epoch: String, ref: Int) {
    self.member = member
    self.secret = secret
    self.epoch = epoch
    self.ref = ref
  }
}
