package import CivilTime

/// Identifies a creation that can be repeated, from `Idempotency-Key`.
///
/// A class, so that an origin without one has only a pointer.
package final class CreationKey: Sendable {
  /// The hash of the key.
  package let keyHash: [UInt8]
  /// The hash of the body with which the session was created.
  package let bodyHash: [UInt8]
  package let session: SessionID
  package let epoch: String
  /// With the key itself it gives the tokens of the session, which are not stored.
  package let salt: String
  package let at: Instant
  /// The hash of an older key that was removed because there were too many.
  package let forgotten: [UInt8]?

  package init(
    keyHash: [UInt8], bodyHash: [UInt8], session: SessionID, epoch: String, salt: String,
    at: Instant, forgotten: [UInt8]? = nil
  ) {
    self.keyHash = keyHash
    self.bodyHash = bodyHash
    self.session = session
    self.epoch = epoch
    self.salt = salt
    self.at = at
    self.forgotten = forgotten
  }
}

extension CreationKey: Hashable {
  package static func == (left: CreationKey, right: CreationKey) -> Bool {
    left.keyHash == right.keyHash && left.bodyHash == right.bodyHash
      && left.session == right.session && left.epoch == right.epoch && left.salt == right.salt
      && left.at == right.at && left.forgotten == right.forgotten
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(keyHash) }
}
