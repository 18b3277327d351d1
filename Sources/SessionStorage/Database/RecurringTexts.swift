import Glibc

/// A cache of recently read texts, which saves allocations.
struct RecurringTexts {
  /// The last bytes of a text choose its place; a newer text replaces an older one.
  private static let placeCount = 16

  /// Empty until there is a text to keep.
  private var texts: [String] = []

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    if texts.isEmpty { texts = Array(repeating: "", count: Self.placeCount) }
    let place = Self.place(of: bytes)
    if Self.isSame(texts[place], bytes) { return texts[place] }
    let text = String(decoding: bytes, as: UTF8.self)
    texts[place] = text
    return text
  }

  private static func place(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard bytes.count > 1 else { return 0 }
    return Int(bytes[bytes.count - 1] ^ bytes[bytes.count - 2] &* 7) & (placeCount - 1)
  }

  private static func isSame(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.utf8.count == bytes.count else { return false }
    return text.utf8.withContiguousStorageIfAvailable { utf8 in
      guard let one = utf8.baseAddress, let other = bytes.baseAddress else { return utf8.isEmpty }
      return memcmp(one, other, utf8.count) == 0
    } ?? false
  }
}
