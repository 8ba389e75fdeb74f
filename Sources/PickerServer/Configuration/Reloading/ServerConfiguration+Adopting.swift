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
    for setting in Setting.allCases where canAdopt(setting, of: new) {
      switch setting {
      case .host: adopted.hosts = new.hosts
      case .trustedProxy: adopted.trustedProxies = new.trustedProxies
      case .origin: adopted.origins = new.origins
      case .logLevel: adopted.logLevel = new.logLevel
      case .tlsCertificate, .tlsKey: adopted.tls = new.tls
      case .config, .listen, .apiListen, .nodeListen, .adminListen, .adminKeys, .publicUrl,
        .redirectHttp, .auth, .audience, .store, .limit, .loops, .web, .calendarName, .outlookLink,
        .logFormat,
        .clock:
        preconditionFailure("\(setting) is marked as reloadable, but is not reloaded")
      }
    }
    for limit in ServerLimit.allCases where limit.isReloadable {
      adopted.limits[limit] = new.limits[limit]
    }
    return adopted
  }
}
