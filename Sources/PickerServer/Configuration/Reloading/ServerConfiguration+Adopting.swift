extension ServerConfiguration {
  /// Whether the value of a setting in `new` can take effect while the server runs. TLS cannot be
  /// turned on or off, because listeners are opened at the start only.
  func canAdopt(_ setting: Setting, of new: ServerConfiguration) -> Bool {
    switch setting {
    case .tlsCertificate, .tlsKey: (tls == nil) == (new.tls == nil)
    default: setting.facts.isReloadable
    }
  }

  /// This configuration with those settings of `new` that can change while the server runs.
  func adopting(_ new: ServerConfiguration) -> ServerConfiguration {
    var adopted = self
    if canAdopt(.tlsCertificate, of: new) { adopted.tls = new.tls }
    for limit in ServerLimit.allCases where limit.isReloadable {
      adopted.limits[limit] = new.limits[limit]
    }
    return adopted
  }
}
