extension ImageMetadata {
  /// Copies the blocks except comments and application data; the repeat count of an animation stays.
  static func gif(_ image: [UInt8]) -> [UInt8]? {
    guard image.count >= 13 else { return nil }
    var place = 13 + sizeOfColours(image[10])
    guard place <= image.count else { return nil }
    var kept = Array(image[..<place])
    while place < image.count {
      let end: Int?
      switch image[place] {
      case 0x3B:
        // Data after the end of the image is dropped.
        return kept + [0x3B]
      case 0x2C:
        guard place + 10 <= image.count else { return nil }
        let data = place + 10 + sizeOfColours(image[place + 9])
        end = endOfSubblocks(in: image, from: data + 1)
        if let end { kept += image[place..<end] }
      case 0x21:
        guard place + 2 <= image.count else { return nil }
        end = endOfSubblocks(in: image, from: place + 2)
        if let end { kept += extensionBlock(Array(image[place..<end])) }
      default: return nil
      }
      guard let end else { return nil }
      place = end
    }
    // Decoders accept a missing end marker.
    return kept
  }

  /// The size of a colour table in bytes, if there is one.
  private static func sizeOfColours(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  /// The offset after a chain of length-prefixed blocks that ends with an empty one; nil if it is truncated.
  private static func endOfSubblocks(in image: [UInt8], from start: Int) -> Int? {
    var place = start
    while place < image.count {
      let length = Int(image[place])
      place += 1 + length
      if length == 0 { return place }
    }
    return nil
  }

  /// The part of an extension to keep.
  private static func extensionBlock(_ block: [UInt8]) -> [UInt8] {
    switch block[1] {
    // The control block of the next frame, and text that is drawn as one.
    case 0xF9, 0x01: block
    case 0xFF: repetition(block)
    default: []
    }
  }

  private static let namesOfRepetition = ["NETSCAPE2.0", "ANIMEXTS1.0"].map { Array($0.utf8) }

  /// The repeat count of an animation, without other data in the same block.
  private static func repetition(_ block: [UInt8]) -> [UInt8] {
    guard block.count > 14, block[2] == 11, namesOfRepetition.contains(Array(block[3..<14])) else {
      return []
    }
    var place = 14
    while place + 4 <= block.count, block[place] > 0 {
      if block[place] == 3, block[place + 1] == 1 {
        return Array(block[..<14]) + block[place..<place + 4] + [0]
      }
      place += 1 + Int(block[place])
    }
    return []
  }
}
