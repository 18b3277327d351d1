/// Metadata that cameras and programs write into images: place, time and device.
///
/// Only metadata that does not affect the display is removed. The orientation, colours and the repeat count of an
/// animation stay.
enum ImageMetadata {
  /// Returns the image without metadata. Images of other formats, and truncated or malformed ones, are returned
  /// unchanged.
  static func removed(from image: [UInt8]) -> [UInt8] {
    switch Format(image) {
    case .jpeg: jpeg(image) ?? image
    case .png: png(image) ?? image
    case .gif: gif(image) ?? image
    case .webp: webp(image) ?? image
    case nil: image
    }
  }

  /// The format, as shown by the first bytes.
  enum Format: Hashable {
    case jpeg, png, gif, webp

    /// The number of bytes to examine.
    static let headSize = 12

    init?(_ head: some Collection<UInt8>) {
      let head = Array(head.prefix(Self.headSize))
      if head.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpeg
      } else if head.starts(with: pngSignature) {
        self = .png
      } else if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) {
        self = .gif
      } else if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).starts(with: Array("WEBP".utf8)) {
        self = .webp
      } else {
        return nil
      }
    }
  }

  // MARK: JPEG

  /// Copies segments and scans, except application and comment segments and data after the end of the image.
  private static func jpeg(_ image: [UInt8]) -> [UInt8]? {
    var kept: [UInt8] = [0xFF, 0xD8]
    var (place, hasScan) = (2, false)
    while place + 2 <= image.count, image[place] == 0xFF {
      let marker = image[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      if marker == 0xD9 { return hasScan ? kept + [0xFF, 0xD9] : nil }
      guard place + 4 <= image.count else { return nil }
      let length = Int(image[place + 2]) << 8 | Int(image[place + 3])
      guard length >= 2, place + 2 + length <= image.count else { return nil }
      let segment = image[place..<place + 2 + length]
      place += 2 + length
      switch marker {
      case 0xDA:
        let end = endOfScan(in: image, from: place)
        kept += segment + image[place..<end]
        (place, hasScan) = (end, true)
      case 0xE1:
        if let turn = orientation(in: Array(segment.dropFirst(4))) { kept += orientationSegment(turn) }
      // Of the application segments, only colour data (JFIF, ICC, Adobe) is kept.
      case 0xE2 where !segment.dropFirst(4).starts(with: Array("ICC_PROFILE\0".utf8)): break
      case 0xE3...0xED, 0xEF, 0xFE: break
      default: kept += segment
      }
    }
    // Decoders show the available part of a truncated image.
    return hasScan && place == image.count ? kept : nil
  }

  /// The offset of the next segment after the data of a scan.
  private static func endOfScan(in image: [UInt8], from start: Int) -> Int {
    var place = start
    while place + 1 < image.count {
      if image[place] == 0xFF, image[place + 1] != 0, !(0xD0...0xD7).contains(image[place + 1]),
        image[place + 1] != 0xFF
      {
        return place
      }
      place += 1
    }
    return image.count
  }

  /// The orientation in an EXIF block; nil if there is none.
  private static func orientation(in block: [UInt8]) -> UInt8? {
    guard block.starts(with: exifMark) else { return nil }
    return orientation(ofTIFF: Array(block.dropFirst(exifMark.count)))
  }

  static let exifMark = Array("Exif\0\0".utf8)

  static func orientation(ofTIFF tiff: [UInt8]) -> UInt8? {
    guard tiff.count >= 8 else { return nil }
    let isBig = tiff.starts(with: Array("MM".utf8))
    func number(_ count: Int, at place: Int) -> Int? {
      guard place >= 0, place + count <= tiff.count else { return nil }
      let bytes = Array(tiff[place..<place + count])
      return (isBig ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let start = number(4, at: 4), let count = number(2, at: start) else { return nil }
    for entry in 0..<min(count, 256) {
      let place = start + 2 + entry * 12
      guard number(2, at: place) == 0x0112, let turn = number(2, at: place + 8) else { continue }
      return (2...8).contains(turn) ? UInt8(turn) : nil
    }
    return nil
  }

  /// An EXIF block with only the orientation.
  private static func orientationSegment(_ turn: UInt8) -> [UInt8] {
    let block = exifMark + orientationTIFF(turn)
    return [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block
  }

  static func orientationTIFF(_ turn: UInt8) -> [UInt8] {
    Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turn, 0, 0, 0, 0, 0, 0]
  }

  // MARK: PNG

  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let pngNotes: Set<String> = ["tEXt", "zTXt", "iTXt", "eXIf", "tIME"]

  private static func png(_ image: [UInt8]) -> [UInt8]? {
    var kept = pngSignature
    var place = pngSignature.count
    while place + 12 <= image.count {
      let length = image[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= image.count - place - 12 else { return nil }
      let end = place + 12 + length
      let kind = String(decoding: image[place + 4..<place + 8], as: UTF8.self)
      if !pngNotes.contains(kind) { kept += image[place..<end] }
      place = end
      // Data after the end of the image is dropped.
      if kind == "IEND" { return kept }
    }
    return nil
  }
}
