/// The differences between the configuration in force and one that was read again.
struct ConfigurationChanges {
  /// A sentence for each setting that changes now.
  private(set) var applied: [String] = []
  /// The names of settings that change with a restart.
  private(set) var postponed: [String] = []

  init(from old: LoadedConfiguration, to new: LoadedConfiguration) {
    for setting in Setting.allCases where setting != .limit {
      let (before, after) = (old.values(of: setting), new.values(of: setting))
      guard before != after else { continue }
      note(
        setting.rawValue, isReloadable: old.settings.canAdopt(setting, of: new.settings),
        before: ConfigurationChanges.text(before), after: ConfigurationChanges.text(after),
        new.source(of: setting))
    }
    for limit in ServerLimit.allCases {
      let (before, after) = (old.settings.limits[limit], new.settings.limits[limit])
      guard before != after else { continue }
      note(
        limit.rawValue, isReloadable: limit.isReloadable, before: "\(before)", after: "\(after)",
        new.source(of: limit))
    }
  }

  private mutating func note(
    _ name: String, isReloadable: Bool, before: String, after: String, _ source: SettingSource
  ) {
    if isReloadable {
      applied.append("\(name) is now \(after), was \(before) (\(source))")
    } else {
      postponed.append(name)
    }
  }

  private static func text(_ values: [String]) -> String {
    values.isEmpty ? "the default" : values.joined(separator: ", ")
  }
}
