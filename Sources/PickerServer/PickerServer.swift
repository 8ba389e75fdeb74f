// PickerServer
