// PickerSimulator
