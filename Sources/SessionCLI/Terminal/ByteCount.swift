/// Sizes as people write them.
enum ByteCount {
  private static let units = ["kB", "MB", "GB", "TB"]

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
