// PickerSession
