extension ImageMetadata {
  private static let frameHeader = 16
  private static let exifFlag: UInt8 = 0x08
  private static let xmpFlag: UInt8 = 0x04

  /// Copies the chunks that make up the image.
  static func webp(_ image: [UInt8]) -> [UInt8]? {
    guard image.count >= 12 else { return nil }
    let end = min(8 + little(image[4..<8]), image.count)
    guard end > 12, let chunks = chunks(of: image[12..<end]), let first = chunks.first else { return nil }
    guard first.name == "VP8X" else {
      // A simple image is one chunk.
      guard first.name == "VP8 " || first.name == "VP8L" else { return nil }
      return file(of: written(first.name, first.content))
    }
    guard first.content.count >= 10 else { return nil }
    let exif = chunks.first { $0.name == "EXIF" }
    let turn = exif.flatMap { orientation(inChunk: Array($0.content)) }
    var header = Array(first.content)
    header[0] &= ~(exifFlag | xmpFlag)
    if turn != nil { header[0] |= exifFlag }
    var kept = written("VP8X", header[...])
    for chunk in chunks.dropFirst() {
      switch chunk.name {
      case "ICCP", "ANIM", "ALPH", "VP8 ", "VP8L": kept += written(chunk.name, chunk.content)
      case "ANMF":
        guard let frame = frame(chunk.content) else { return nil }
        kept += written("ANMF", frame[...])
      default: break
      }
    }
    if let turn { kept += written("EXIF", orientationTIFF(turn)[...]) }
    return file(of: kept)
  }

  private typealias Chunk = (name: String, content: ArraySlice<UInt8>)

  /// Nil if they are truncated.
  private static func chunks(of bytes: ArraySlice<UInt8>) -> [Chunk]? {
    var chunks: [Chunk] = []
    var rest = bytes
    while rest.count >= 8 {
      let length = little(rest.dropFirst(4).prefix(4))
      guard length <= rest.count - 8 else { return nil }
      let name = String(decoding: rest.prefix(4), as: UTF8.self)
      chunks.append((name, rest.dropFirst(8).prefix(length)))
      rest = rest.dropFirst(8 + length + length % 2)
    }
    return rest.isEmpty ? chunks : nil
  }

  /// A frame of an animation, reduced to its image.
  private static func frame(_ content: ArraySlice<UInt8>) -> [UInt8]? {
    guard content.count >= frameHeader, let chunks = chunks(of: content.dropFirst(frameHeader)) else {
      return nil
    }
    return chunks.filter { ["ALPH", "VP8 ", "VP8L"].contains($0.name) }
      .reduce(into: Array(content.prefix(frameHeader))) { $0 += written($1.name, $1.content) }
  }

  /// Some programs write the JPEG marker here as well.
  private static func orientation(inChunk block: [UInt8]) -> UInt8? {
    orientation(ofTIFF: block.starts(with: exifMark) ? Array(block.dropFirst(exifMark.count)) : block)
  }

  private static func written(_ name: String, _ content: ArraySlice<UInt8>) -> [UInt8] {
    Array(name.utf8) + little(content.count) + content + [UInt8](repeating: 0, count: content.count % 2)
  }

  private static func file(of chunks: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + little(chunks.count + 4) + Array("WEBP".utf8) + chunks
  }

  private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func little(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
