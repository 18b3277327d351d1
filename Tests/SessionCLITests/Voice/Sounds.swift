/// Small recordings of all forms; none has a sound.
enum Sounds {
  private static func big(_ number: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) }
  }
  private static func little(_ number: Int) -> [UInt8] { big(number).reversed() }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8) + Array(type.utf8) + content
  }

  static func m4a(milliseconds: Int) -> [UInt8] {
    let track = box("trak", box("mdia", box("hdlr", big(0) + big(0) + Array("soun".utf8) + big(0))))
    let header = box("mvhd", big(0) + big(0) + big(0) + big(1000) + big(milliseconds))
    return box("ftyp", Array("M4A ".utf8) + big(0)) + box("moov", header + track)
  }

  /// Frames of 417 bytes and 26 ms each.
  static func mp3(frames: Int) -> [UInt8] {
    Array(repeatElement([0xFF, 0xFB, 0x90, 0] + [UInt8](repeating: 0, count: 413), count: frames).joined())
  }

  static func wav(milliseconds: Int) -> [UInt8] {
    let sound = [UInt8](repeating: 0x40, count: 8 * milliseconds)
    return Array("RIFF".utf8) + little(0) + Array("WAVEfmt ".utf8) + little(16) + [1, 0, 1, 0] + little(8000)
      + little(8000) + [1, 0, 8, 0] + Array("data".utf8) + little(sound.count) + sound
  }
}
