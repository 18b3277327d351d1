import SessionCore
import Testing

@Suite struct FileURLTests {
  private let key = "b8eef9821445ae16e2e97ef8aa6fe782fd11ad5253cd6723b281341dba22e371"

  @Test func itsPartsAreRead() throws {
    let url = try FileURL(parsing: "HTTPS://files.example.org:8443/file/abc_D-9#p=\(key)&d&e=00")
    #expect(url.scheme == .https)
    #expect(url.host == "files.example.org")
    #expect(url.port == 8443)
    #expect(url.fileID == "abc_D-9")
    #expect(url.isStream)
    #expect(url.serverKey?.hex == key)
    #expect(url.description == "https://files.example.org:8443/file/abc_D-9#p=\(key)&d")
  }

  @Test func defaultsAreOmittedFromURLs() throws {
    #expect(try FileURL(parsing: "http://example.org:80/files/1").description == "http://example.org/file/1")
    #expect(
      try FileURL(parsing: "https://example.org:443/file/1").description == "https://example.org/file/1")
  }

  @Test(arguments: ["#d", "#d=", "#d=1", "#sr=10.0.0.1:5&d"])
  func aStreamIsMarkedInSeveralWays(fragment: String) throws {
    #expect(try FileURL(parsing: "http://example.org/file/1" + fragment).isStream)
  }

  @Test(arguments: ["", "#", "#p=00", "#p=", "#x&dd"])
  func anythingElseInTheFragmentIsIgnored(fragment: String) throws {
    let url = try FileURL(parsing: "http://example.org/file/1" + fragment)
    #expect(!url.isStream)
    #expect(url.serverKey == nil)
  }

  @Test func filesOfCommunitiesAreInARoom() throws {
    let url = try FileURL(parsing: "https://example.org/room/lobby/file/12#x")
    #expect(url.room == "lobby")
    #expect(url.description == "https://example.org/room/lobby/file/12")
  }

  @Test func anAddressKeepsItsBrackets() throws {
    let url = try FileURL(parsing: "http://[::1]:8080/file/1")
    #expect(url.host == "[::1]")
    #expect(url.port == 8080)
    #expect(url.description == "http://[::1]:8080/file/1")
  }

  @Test(arguments: [
    "", "file:///etc/passwd", "ftp://example.org/file/1", "http:///file/1", "http://example.org/file/",
    "http://example.org/file/1/2", "http://example.org/1", "http://user@example.org/file/1",
    "http://example.org:0/file/1", "http://example.org:65536/file/1", "http://example.org:x/file/1",
    "http://example.org/file/..", "http://example.org/file/a%2Fb", "http://example.org/file/1?x=1",
    "http://exa mple.org/file/1", "http://[::1/file/1", "//example.org/file/1", "http:/example.org/file/1",
    "http://example.org/room//file/1",
  ])
  func otherAddressesAreRefused(text: String) {
    #expect { try FileURL(parsing: text) } throws: { $0.breaks(.fileURL) }
    #expect(FileURL(text) == nil)
  }
}
