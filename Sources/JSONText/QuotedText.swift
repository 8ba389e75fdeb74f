extension String {
  /// The first 64 Unicode scalars, to quote a client's text in an error detail of limited length.
  package var quoted: String { String(String.UnicodeScalarView(unicodeScalars.prefix(64))) }
}
