// PickerHub
