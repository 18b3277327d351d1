import Foundation
import Testing

@testable import SessionMessaging

/// Metadata of images.
@Suite struct ImageMetadataTests {
  private static let secret = Array("somewhere".utf8)
  private static let jpegFrame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0x01, 0x02, 0x03, 0x04, 1, 0, 0, 0]
  private static let scan: [UInt8] = [0xFF, 0xDA, 0, 2, 1, 2, 0xFF, 0, 0xFF, 0xD1, 3]
  private static let jpegEnd: [UInt8] = [0xFF, 0xD9]

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker, 0, UInt8(content.count + 2)] + content
  }

  private static func exif(_ turn: UInt8) -> [UInt8] {
    segment(0xE1, Array("Exif\0\0".utf8) + tiff(turn, secret))
  }

  private func expect(_ image: [UInt8], becomes clean: [UInt8]) {
    #expect(ImageMetadata.removed(from: image) == clean)
    // Cleaning a clean image does not change it.
    #expect(ImageMetadata.removed(from: clean) == clean)
  }

  private func says(_ image: [UInt8]) -> Bool { Data(image).range(of: Data(Self.secret)) != nil }

  @Test func aPNGSaysNothing() {
    let clean = png(5, 6, [1, 2, 3])
    expect(png(5, 6, [1, 2, 3], notes: Self.secret), becomes: clean)
    expect(clean + Self.secret, becomes: clean)
  }

  @Test func aJPEGSaysHowItIsTurnedAlone() {
    let image = Self.jpegFrame + Self.scan + Self.scan + Self.jpegEnd
    expect([0xFF, 0xD8] + Self.exif(1) + image, becomes: [0xFF, 0xD8] + image)
    let turned = ImageMetadata.removed(from: [0xFF, 0xD8] + Self.exif(6) + image)
    #expect(turned.count > image.count + 2 && !says(turned))
    expect(turned, becomes: turned)
    // Phones put a video, with all that it says, behind the image, and a list of what is there before it.
    let colours = Self.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 9])
    let list = Self.segment(0xE2, Array("MPF\0".utf8) + Self.secret)
    expect([0xFF, 0xD8] + colours + list + image + Self.secret, becomes: [0xFF, 0xD8] + colours + image)
    let between = Self.jpegFrame + Self.scan + Self.segment(0xFE, Self.secret) + Self.scan + Self.jpegEnd
    expect([0xFF, 0xD8] + between, becomes: [0xFF, 0xD8] + image)
  }

  @Test func aGIFSaysHowOftenItIsRepeatedAlone() {
    let comment = gifExtension(0xFE, [Self.secret, Self.secret])
    let program = gifExtension(0xFF, [Array("XMP DataXMP".utf8), Self.secret])
    let unknown = gifExtension(0x77, [Self.secret])
    expect(gif(comment + program + unknown), becomes: gif())
    expect(gif() + Self.secret, becomes: gif())
    let other = gifExtension(0xFF, [Array("ANIMEXTS1.0".utf8), Self.secret, [1, 5, 0]])
    expect(gif(other), becomes: gif(gifExtension(0xFF, [Array("ANIMEXTS1.0".utf8), [1, 5, 0]])))
    expect(gif(gifExtension(0xFF, [Array("NETSCAPE2.0".utf8), Self.secret])), becomes: gif())
    let frame = gifExtension(0x01, [[UInt8](repeating: 1, count: 12), Array("text".utf8)])
    expect(gif(frame), becomes: gif(frame))
  }

  @Test func aWebPSaysHowItIsTurnedAlone() {
    let image: (String, [UInt8]) = ("VP8L", [0x2F, 9, 0, 0, 0])
    let colours: (String, [UInt8]) = ("ICCP", [1, 2, 3])
    let (exif, xmp) = (("EXIF", tiff(1, Self.secret)), ("XMP ", Self.secret))
    expect(
      webp([webpHeader(0x2C), colours, image, exif, xmp, ("junk", Self.secret)]),
      becomes: webp([webpHeader(0x20), colours, image]))
    expect(webp([image, ("junk", Self.secret)]) + Self.secret, becomes: webp([image]))
    let mark = Array("Exif\0\0".utf8)
    for block in [tiff(8, Self.secret), mark + tiff(8, Self.secret)] {
      let turned = ImageMetadata.removed(from: webp([webpHeader(0x08), image, ("EXIF", block)]))
      #expect(turned == webp([webpHeader(0x08), image, ("EXIF", ImageMetadata.orientationTIFF(8))]))
      expect(turned, becomes: turned)
      #expect(ImageHeader(turned).map { [$0.width, $0.height] } == [10, 20])
    }
    let place = [UInt8](repeating: 7, count: 16)
    func animation(_ more: [(String, [UInt8])]) -> [UInt8] {
      webp([
        webpHeader(0x02), ("ANIM", [0, 0, 0, 0, 0, 0]),
        ("ANMF", place + webpChunks([("ALPH", [1]), image] + more)),
      ])
    }
    expect(animation([("junk", Self.secret)]), becomes: animation([]))
  }

  @Test(arguments: [
    Array("no image".utf8), [], Array("RIFF\0\0\0\0WAVEfmt ".utf8), Array("<svg>somewhere</svg>".utf8),
    Array("RIFF\u{4}\0\0\0WEBP".utf8), Array("GIF89a".utf8),
  ])
  func unknownFormatsAreLeftUnchanged(bytes: [UInt8]) {
    #expect(ImageMetadata.removed(from: bytes) == bytes)
  }

  /// Of each mutation the number is the seed.
  @Test func malformedImagesAreHandledSafely() {
    let images = [
      png(5, 6, [1, 2, 3], notes: Self.secret),
      [0xFF, 0xD8] + Self.exif(6) + Self.jpegFrame + Self.scan + Self.jpegEnd + Self.secret,
      gif(gifExtension(0xFE, [Self.secret])),
      webp([
        webpHeader(0x0C), ("VP8L", [0x2F, 9, 0, 0, 0]), ("EXIF", tiff(6, Self.secret)), ("XMP ", Self.secret),
      ]),
      webp([webpHeader(0x02), ("ANMF", [UInt8](repeating: 7, count: 16) + webpChunks([("VP8 ", [1, 2])]))]),
    ]
    for image in images {
      for length in 0...image.count { check(Array(image.prefix(length)), "\(length) bytes") }
    }
    for seed in 0..<20_000 as Range<UInt64> {
      var random = Random(state: seed)
      check(random.mutated(images[Int(random.next(below: images.count))]), "seed \(seed)")
    }
  }

  private func check(_ image: [UInt8], _ name: String) {
    let clean = ImageMetadata.removed(from: image)
    // A part of what says how it is turned may be longer than what said it.
    #expect(clean.count <= image.count + 40, "\(name)")
    #expect(ImageMetadata.removed(from: clean) == clean, "\(name)")
  }
}

/// Numbers that follow from a seed.
private struct Random {
  var state: UInt64

  mutating func next(below count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(count))
  }

  /// A few bytes changed, taken out, or put in twice.
  mutating func mutated(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...next(below: 4) where !bytes.isEmpty {
      let place = next(below: bytes.count)
      let end = min(place + 1 + next(below: 8), bytes.count)
      switch next(below: 4) {
      case 0: bytes[place] = UInt8(next(below: 256))
      case 1: bytes[place] ^= 1 << UInt8(next(below: 8))
      case 2: bytes.removeSubrange(place..<end)
      default: bytes.insert(contentsOf: bytes[place..<end], at: place)
      }
    }
    return bytes
  }
}
