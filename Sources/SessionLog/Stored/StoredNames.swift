package import PickerHub
package import PickerSession

/// What an index of sessions has when a store is opened.
package struct StoredNames: Sendable {
  package var entries: [SessionIndex.Entry] = []
  package var keys: [CreationKey] = []

  package init() {}
}
