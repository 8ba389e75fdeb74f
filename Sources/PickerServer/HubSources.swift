import PickerHub

/// The system's zones and languages, as the hub asks for them.
extension ZoneDatabase: ZoneSource {}
extension LocaleCatalog: TextSource {}
