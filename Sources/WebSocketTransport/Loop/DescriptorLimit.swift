import Glibc

/// RLIMIT_NOFILE.
enum DescriptorLimit {
  /// Reserved for what is not a connection; 64 loops use 514.
  private static let spare = 768

  /// Raises the limit to what `connectionsMax` connections need, as far as the hard limit permits.
  /// It is never higher than needed, because libwebsockets allocates memory for each possible
  /// descriptor.
  ///
  /// - Parameter each: The descriptors that a connection needs.
  /// - Returns: How many connections are possible, and a warning if they are fewer.
  static func fit(_ connectionsMax: Int, each: Int) -> (connections: Int, warning: String?) {
    var limit = rlimit()
    let wanted = rlim_t(each * connectionsMax + spare)
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return (connectionsMax, nil)
    }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    guard limit.rlim_cur < wanted else { return (connectionsMax, nil) }
    let usable = Int(limit.rlim_cur)
    let fits = (usable > 2 * spare ? usable - spare : usable / 2) / each
    guard fits < connectionsMax else { return (connectionsMax, nil) }
    return (
      fits,
      "at most \(fits) connections instead of \(connectionsMax): the limit of open files is "
        + "\(usable); raise it with ulimit -n or LimitNOFILE="
    )
  }
}
