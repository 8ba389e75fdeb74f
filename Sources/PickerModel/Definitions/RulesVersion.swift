/// The version of the rules by which a picker changes.
///
/// Increase it in every release in which the same definition, state and log entry give another
/// state: a store then compares what it folds with what it has stored before it goes on.
package enum RulesVersion {
  package static let current = 1
}
