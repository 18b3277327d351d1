import Testing

@testable import SessionCLI

@Suite struct SavedNameTests {
  @Test(
    arguments: [
      ("photo.jpg", "image/jpeg", "photo.jpg"), (".bashrc", "text/plain", "_bashrc"),
      ("-rf", "text/plain", "_rf"),
      ("..", "text/plain", "__"), ("~root", "text/plain", "_root"),
      ("../../etc/passwd", "text/plain", "___.._etc_passwd"),
      ("", "image/png", "attachment-7-2.png"), (nil, "audio/mp4", "attachment-7-2.mp4"),
      (nil, "application/x-sh", "attachment-7-2"), (nil, "image/../../x", "attachment-7-2"),
      (nil, "image/svg+xml", "attachment-7-2"),
    ] as [(String?, String, String)])
  func noNameIsDangerous(given: String?, contentType: String, saved: String) {
    #expect(SavedName.of(given, contentType: contentType, message: 7, number: 2) == saved)
  }
}
