/// Sizes as people write them.
enum ByteCount {
  private static let units = ["kB", "MB", "GB", "TB"]

  /// The bytes of `500`, `500k`, `10M` or `1G`; nil for anything else.
  static func parse(_ text: String) -> Int64? {
    let factors: [Character: Int64] = ["k": 1000, "K": 1000, "M": 1_000_000, "G": 1_000_000_000]
    let factor = text.last.flatMap { factors[$0] }
    let digits = factor == nil ? text : String(text.dropLast())
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
    else { return nil }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: factor ?? 1)
    return isTooLarge ? nil : bytes
  }

  /// `999 B`, `1.2 kB`, `34 MB`: two digits at least where there are more.
  static func text(_ bytes: Int64) -> String {
    guard bytes >= 1000 else { return "\(max(bytes, 0)) B" }
    var (size, unit) = (Double(bytes) / 1000, 0)
    // A number that rounds up to 1000 is shown in the next unit.
    while size >= 999.5, unit < units.count - 1 { (size, unit) = (size / 1000, unit + 1) }
    let tenths = Int64((size * 10).rounded())
    let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int64(size.rounded()))"
    return "\(number) \(units[unit])"
  }
}
