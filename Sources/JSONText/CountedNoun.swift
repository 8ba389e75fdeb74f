/// `1 row`, `2 rows`, `2 days`, `2 entries`.
package func counted(_ count: Int, _ noun: String) -> String {
  if count == 1 { return "1 \(noun)" }
  return noun.hasSuffix("ry") ? "\(count) \(noun.dropLast())ies" : "\(count) \(noun)s"
}
