/// How long each thing of a run took.
struct Run {
  let name: String
  /// The outcome of each message, as a word.
  var outcome = "arrived"
  var times: [Duration] = []

  func report() {
    let sorted = times.sorted()
    print(
      "\(name): \(sorted.count) \(outcome); p50 \(milliseconds(sorted, 0.5)) ms, "
        + "p95 \(milliseconds(sorted, 0.95)) ms, the last one \(milliseconds(sorted, 1)) ms")
  }

  private func milliseconds(_ sorted: [Duration], _ share: Double) -> Int {
    guard !sorted.isEmpty else { return 0 }
    return Int(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / .milliseconds(1))
  }
}

struct Lost: Error {
  let what: String
}
