import SessionBase
import SessionCore
import Testing

@testable import SessionMessaging

/// Names, types and first bytes of files.
@Suite struct FileFormTests {
  @Test(arguments: [
    ("photo.jpg", "photo.jpg"), ("../../x", "x"), ("/etc/passwd", "passwd"), ("C:\\a\\b.txt", "b.txt"),
    ("a\u{202E}gpj.exe", "agpj.exe"), ("a\0b\nc", "abc"), ("..", nil), (".", nil), ("", nil), ("///", nil),
    ("  x  ", "x"), (".hidden", ".hidden"), ("stream:$DATA", "$DATA"), ("\u{200B}", nil),
  ])
  func namesOfStrangersAreNamesOfFiles(given: String, kept: String?) {
    #expect(AttachmentName.usable(given) == kept)
  }

  @Test func longNamesKeepTheirEnding() {
    let name = AttachmentName.usable(String(repeating: "ä", count: 500) + ".png")
    #expect(name?.utf8.count ?? 0 <= 255 && name?.hasSuffix("ä.png") == true)
    let plain = AttachmentName.usable(String(repeating: "x", count: 500))
    #expect(plain?.utf8.count == 255)
  }

  @Test(arguments: [
    ("image/png", "image/png"), ("IMAGE/PNG", "image/png"),
    ("application/vnd.ms-excel", "application/vnd.ms-excel"),
    ("", MediaType.unknown), ("image", MediaType.unknown), ("image/png/x", MediaType.unknown),
    ("text/html; charset=x", MediaType.unknown), ("a/\u{202E}b", MediaType.unknown), ("/", MediaType.unknown),
    ("a/" + String(repeating: "x", count: 200), MediaType.unknown),
  ])
  func typesOfStrangersAreTwoWords(given: String, kept: String) {
    #expect(ContentType.usable(given) == kept)
  }

  private static let jpegFrame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0x01, 0x02, 0x03, 0x04, 1, 0, 0, 0]

  @Test func imagesAreKnownByTheirFirstBytes() {
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2] + Self.jpegFrame
    #expect(ImageHeader(jpeg).map { [$0.width, $0.height] } == [0x304, 0x102])
    #expect(ImageHeader(png(5, 6))?.contentType == "image/png")
    let gif = ImageHeader(Array("GIF89a".utf8) + [3, 0, 4, 0])
    #expect(gif?.width == 3 && gif?.height == 4)
    let webp: [UInt8] =
      Array("RIFF\0\0\0\0WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0] + [9, 0, 0] + [19, 0, 0]
    #expect(ImageHeader(webp).map { [$0.width, $0.height] } == [10, 20])
    for image in [jpeg, png(5, 6), webp] {
      for length in 0..<image.count { _ = ImageHeader(Array(image.prefix(length))) }
    }
    #expect(ImageHeader([]) == nil && ImageHeader(noise(1000)) == nil)
    #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xE0, 0, 0]) == nil)
    #expect(ImageHeader([UInt8](repeating: 0xFF, count: 10_000)) == nil)
  }
}
