import Synchronization

/// The accepted hosts, origins and proxies and the limits, which can change while the server runs.
final class AdmissionPolicies: Sendable {
  struct Values: Sendable {
    let hosts: HostPolicy
    /// The policy of the backend's listener.
    let apiHosts: HostPolicy
    /// The policy of the admin listener.
    let adminHosts: HostPolicy
    let origins: OriginPolicy
    let proxies: TrustedProxies
    let limits: LimitSettings

    init(_ configuration: ServerConfiguration) {
      hosts = HostPolicy(
        listen: configuration.listen, names: configuration.hosts,
        publicName: configuration.publicURL?.name)
      apiHosts = HostPolicy(
        listen: configuration.apiListen, names: configuration.hosts, acceptsAddresses: true)
      adminHosts = HostPolicy(
        listen: configuration.adminListen, names: configuration.hosts, acceptsAddresses: true)
      origins = configuration.origins
      proxies = configuration.trustedProxies
      limits = configuration.limits
    }
  }

  private let values: Mutex<Values>

  init(_ configuration: ServerConfiguration) { values = Mutex(Values(configuration)) }

  var current: Values { values.withLock { $0 } }

  func change(_ configuration: ServerConfiguration) {
    let new = Values(configuration)
    values.withLock { $0 = new }
  }
}
