// PickerWire
