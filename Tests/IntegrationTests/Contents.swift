/// Bytes that mean nothing.
func blur(_ count: Int) -> [UInt8] {
  let some = (0..<65_537).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
  var all: [UInt8] = []
  while all.count < count { all += some.prefix(count - all.count) }
  return all
}

/// An image of a size, as far as its first bytes tell.
func image(_ width: UInt32, _ height: UInt32, _ count: Int) -> [UInt8] {
  func big(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
  func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    big(UInt32(content.count)) + Array(kind.utf8) + content + [0, 0, 0, 0]
  }
  var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  bytes += chunk("IHDR", big(width) + big(height) + [8, 6, 0, 0, 0])
  bytes += chunk("IDAT", blur(count))
  return bytes + chunk("IEND", [])
}
