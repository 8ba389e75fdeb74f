import GRDB

extension Error {
  /// The text of an error of SQLite.
  var storeText: String {
    guard let error = self as? DatabaseError else { return "\(self)" }
    return error.message ?? error.resultCode.description
  }
}
