extension RandomAccessCollection where Index == Int {
  /// The index of the first element that fulfils the condition, if all after it do and none before;
  /// the end if none does. A binary search.
  @inlinable
  package func partitionPoint(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
