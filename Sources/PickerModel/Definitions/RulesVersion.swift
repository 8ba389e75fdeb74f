/// The version of the rules that compute a picker's next state from a log entry.
///
/// Increase it in each release in which the same definition, state and log entry can give a
/// different next state. A session that was stored with another version is replayed from its log
/// and compared with its stored state when it is loaded.
package enum RulesVersion {
  package static let current = 1
}
