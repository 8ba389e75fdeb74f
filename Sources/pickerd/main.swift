print("pickerd")
