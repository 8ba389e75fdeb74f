import PickerHub

extension ZoneDatabase: ZoneSource {}
extension LocaleCatalog: TextSource {}
