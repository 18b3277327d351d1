/// The memory of this process, in bytes.
package enum MemoryUse {
  package static var now: Int { value(of: "VmRSS:") }
  /// The most it ever had.
  package static var peak: Int { value(of: "VmHWM:") }

  private static func value(of name: String) -> Int {
    guard let status = try? OpenFile(reading: "/proc/self/status").readAll(upTo: 65_536) else { return 0 }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    let fields = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace) ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 1024 : 0
  }
}
