/// The type and size of an image, read from its first bytes. Nothing is decoded.
struct ImageHeader: Hashable {
  let contentType: String
  let width: Int
  let height: Int

  /// The number of bytes to examine.
  static let maxBytes = 256 * 1024
  /// The limits for an image to be shown: a few bytes may claim to be an image that fills all memory when it is
  /// decoded.
  static let maxSide = 20_000
  static let maxPixels = 100_000_000

  /// True if it can be decoded in reasonable memory.
  var isReasonable: Bool {
    width > 0 && height > 0 && width <= Self.maxSide && height <= Self.maxSide
      && width * height <= Self.maxPixels
  }

  /// The types recognised by their first bytes.
  static let types: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// Nil unless it is an image of a known type.
  init?(_ head: [UInt8]) {
    let bytes = ImageBytes(head)
    guard let (type, width, height) = bytes.png ?? bytes.gif ?? bytes.webp ?? bytes.jpeg else { return nil }
    (contentType, self.width, self.height) = (type, width, height)
  }
}

/// The beginning of a file.
private struct ImageBytes {
  typealias Finding = (type: String, width: Int, height: Int)

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var png: Finding? {
    guard has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0), has("IHDR", at: 12),
      let width = big(4, at: 16), let height = big(4, at: 20)
    else { return nil }
    return ("image/png", width, height)
  }

  var gif: Finding? {
    guard has("GIF87a", at: 0) || has("GIF89a", at: 0), let width = little(2, at: 6),
      let height = little(2, at: 8)
    else { return nil }
    return ("image/gif", width, height)
  }

  var webp: Finding? {
    guard has("RIFF", at: 0), has("WEBP", at: 8) else { return nil }
    if has("VP8X", at: 12), let width = little(3, at: 24), let height = little(3, at: 27) {
      return ("image/webp", width + 1, height + 1)
    }
    if has("VP8L", at: 12), let sides = little(4, at: 21) {
      return ("image/webp", (sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1)
    }
    if has("VP8 ", at: 12), has([0x9D, 0x01, 0x2A], at: 23), let width = little(2, at: 26),
      let height = little(2, at: 28)
    {
      return ("image/webp", width & 0x3FFF, height & 0x3FFF)
    }
    return nil
  }

  /// A chain of segments, one of which begins the frame.
  var jpeg: Finding? {
    guard has([0xFF, 0xD8, 0xFF], at: 0) else { return nil }
    var place = 2
    while let marker = byte(at: place + 1), byte(at: place) == 0xFF {
      switch marker {
      case 0xFF: place += 1
      case 0x01, 0xD0...0xD8: place += 2
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard let height = big(2, at: place + 5), let width = big(2, at: place + 7) else { return nil }
        return ("image/jpeg", width, height)
      case 0xD9, 0xDA: return nil
      default:
        guard let length = big(2, at: place + 2), length >= 2 else { return nil }
        place += 2 + length
      }
    }
    return nil
  }

  private func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  private func has(_ wanted: [UInt8], at place: Int) -> Bool { bytes.dropFirst(place).starts(with: wanted) }
  private func has(_ wanted: StaticString, at place: Int) -> Bool {
    has(Array(wanted.description.utf8), at: place)
  }

  private func big(_ count: Int, at place: Int) -> Int? {
    guard place + count <= bytes.count else { return nil }
    return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private func little(_ count: Int, at place: Int) -> Int? {
    guard place + count <= bytes.count else { return nil }
    return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
