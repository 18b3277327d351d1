/// What cameras and programs write into images beside the image: where and when it was taken, with what.
///
/// Only what an image is shown without is taken out. How it is to be turned stays, as it changes what is seen.
enum ImageMetadata {
  /// The same image without it; the same bytes where nothing is known to be in them.
  static func removed(from image: [UInt8]) -> [UInt8] {
    if image.starts(with: [0xFF, 0xD8, 0xFF]) { return jpeg(image) ?? image }
    if image.starts(with: pngSignature) { return png(image) ?? image }
    return image
  }

  // MARK: JPEG

  /// Segments up to the scan, of which those of programs and comments go.
  private static func jpeg(_ image: [UInt8]) -> [UInt8]? {
    var kept: [UInt8] = [0xFF, 0xD8]
    var place = 2
    while place + 4 <= image.count, image[place] == 0xFF {
      let marker = image[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      if marker == 0xDA { return kept + image[place...] }
      let length = Int(image[place + 2]) << 8 | Int(image[place + 3])
      guard length >= 2, place + 2 + length <= image.count else { return nil }
      let segment = image[place..<place + 2 + length]
      switch marker {
      case 0xE1:
        if let turn = orientation(in: Array(segment.dropFirst(4))) { kept += orientationSegment(turn) }
      // The frame of colours (JFIF, ICC, Adobe) is needed.
      case 0xE3...0xED, 0xEF, 0xFE: break
      default: kept += segment
      }
      place += 2 + length
    }
    return nil
  }

  /// How an EXIF block says an image is turned; nil for not at all.
  private static func orientation(in block: [UInt8]) -> UInt8? {
    guard block.starts(with: Array("Exif\0\0".utf8)) else { return nil }
    let tiff = Array(block.dropFirst(6))
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

  /// An EXIF block that says nothing else.
  private static func orientationSegment(_ turn: UInt8) -> [UInt8] {
    let tiff: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turn, 0, 0, 0, 0, 0, 0]
    let block = Array("Exif\0\0".utf8) + tiff
    return [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block
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
      // What follows the end of the image is no part of it.
      if kind == "IEND" { return kept }
    }
    return nil
  }
}
