/// What has become of an appended creation.
package enum CreationOutcome {
  case stored
  case lost
  /// Another session has its external id or idempotency key.
  case refused
}
