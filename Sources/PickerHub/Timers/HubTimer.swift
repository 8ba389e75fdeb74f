import PickerModel
import PickerSession

/// What the hub does later, by the monotonic clock.
enum HubTimer {
  /// Close the connection if it has not joined.
  case join(ConnectionID)
  /// Close the connection if its token has expired.
  case token(ConnectionID)
  /// Close the connection if it has not read since its updates were dropped.
  case stalled(ConnectionID)
  /// Search for rows, which had to wait.
  case find(ConnectionID)
  /// Make the member leave if it has not reconnected.
  case absence(SessionID, MemberID)
  /// End the session if its time to live has expired.
  case expiry(SessionID)
  /// Evict the session if it has no members.
  case idle(SessionID)
  /// Load the session.
  case load(SessionID)
  /// Tick the session again, after the log has refused a tick.
  case tick(SessionID)
  /// Let the session follow its shared definition again.
  case follow(SessionID)
  /// Read what has changed of an inventory, by the name of its shared definition.
  case inventory(String)
  /// Broadcast the pending presence updates.
  case presence(SessionID)
}
