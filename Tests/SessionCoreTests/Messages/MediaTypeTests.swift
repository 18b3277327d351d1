import SessionCore
import Testing

@Suite struct MediaTypeTests {
  private func mediaType(_ contentType: String?, _ fileName: String?) throws -> String {
    try MessageAttachment(
      url: FileURL(.http, host: "example.org", fileID: "1"), pointer: nil, contentType: contentType,
      fileName: fileName
    ).mediaType
  }

  @Test func theSenderKnowsBest() throws {
    #expect(try mediaType("image/png", "cat.jpg") == "image/png")
  }

  @Test(arguments: [
    ("cat.JPG", "image/jpeg"), ("a.tar.zip", "application/zip"), ("voice.m4a", "audio/mp4"),
    ("cat", "application/octet-stream"), (".png", "application/octet-stream"),
    ("cat.", "application/octet-stream"), ("cat.xyz", "application/octet-stream"),
  ])
  func theFileNameIsTheFallback(name: String, type: String) throws {
    #expect(try mediaType(nil, name) == type)
    #expect(try mediaType("", name) == type)
  }

  @Test func theDefaultIsOctetStream() throws {
    #expect(try mediaType(nil, nil) == "application/octet-stream")
  }
}
