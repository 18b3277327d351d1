/// The most similar name, if the difference is small enough to be a typing error.
package func nearestName(to text: String, among names: [String]) -> String? {
  let (name, distance) =
    names.map { ($0, editDistance(text, $0)) }.min { $0.1 < $1.1 } ?? ("", Int.max)
  return distance <= max(1, text.count / 3) ? name : nil
}

/// The number of characters to add, remove, replace or swap with a neighbour.
private func editDistance(_ from: String, _ to: String) -> Int {
  let from = Array(from)
  let to = Array(to)
  var beforeLast: [Int] = []
  var last = Array(0...to.count)
  for i in from.indices {
    var row = [i + 1]
    for j in to.indices {
      let replaced = last[j] + (from[i] == to[j] ? 0 : 1)
      var best = min(replaced, last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] {
        best = min(best, beforeLast[j - 1] + 1)
      }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[to.count]
}
