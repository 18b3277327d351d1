import Folders
import Foundation
import SessionHTTP
import Testing

@testable import SessionCLI

@Suite struct ProxySettingTests {
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder() }

  private func io(
    _ setting: ProxySetting, _ environment: [String: String] = [:], files: [String: String] = [:]
  ) -> CommandIO {
    var io = MemoryIO(files: files).io()
    io.environment = environment.merging(["HOME": home.url.path]) { first, _ in first }
    io.settings.proxy = setting
    return io
  }

  private func proxy(
    _ environment: [String: String], of host: String = "example.org"
  ) throws -> String? {
    try io(.environment, environment).siteAccess().proxy(host)?.description
  }

  @Test func theEnvironmentCountsOnlyWhereItIsChosen() throws {
    let variables = ["HTTPS_PROXY": "http://127.0.0.1:1"]
    #expect(try io(.none, variables).siteAccess().proxy("example.org") == nil)
    #expect(try proxy(variables) == "http://127.0.0.1:1")
    #expect(try proxy([:]) == nil)
    #expect(try proxy(["ALL_PROXY": "socks5h://127.0.0.1:2"]) == "socks5h://127.0.0.1:2")
    #expect(
      try proxy(["ALL_PROXY": "http://127.0.0.1:2", "https_proxy": "http://[::1]:3"]) == "http://[::1]:3")
  }

  @Test func someHostsCanDoWithoutTheProxyOfTheEnvironment() throws {
    func isDirect(_ list: String, _ host: String) throws -> Bool {
      try proxy(["HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": list], of: host) == nil
    }
    #expect(try isDirect("*", "example.org"))
    #expect(try isDirect("other.org, .example.org", "www.Example.org"))
    #expect(try isDirect("example.org", "example.org"))
    #expect(try !isDirect("example.org", "notexample.org"))
    #expect(try !isDirect("", "example.org"))
  }

  /// A proxy that cannot be used is a failure: nothing goes without it.
  @Test func aWrongProxyOfTheEnvironmentIsAFailure() {
    for text in ["socks5://127.0.0.1:1", "http://me:secret@127.0.0.1:1", "proxy"] {
      #expect(throws: CommandFailure.self, "\(text)") { try proxy(["ALL_PROXY": text]) }
    }
  }

  @Test func theUserAndPasswordAreInAFileOfTheirOwn() throws {
    let folder = home.url.appending(path: ".config/session")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "proxy-auth").path
    try #require(
      FileManager.default.createFile(atPath: path, contents: Data(), attributes: [.posixPermissions: 0o600]))
    let proxy = try HTTPProxy(parsing: "http://127.0.0.1:1")
    let found = try io(.fixed(proxy), files: [path: "alice\nse cret\n"]).siteAccess().proxy("example.org")
    #expect(found?.user == "alice" && found?.password == "se cret" && found?.description == proxy.description)
    for text in ["", "alice\n", "alice\nsecret\nmore\n"] {
      #expect(throws: CommandFailure.self, "\(text)") {
        try io(.fixed(proxy), files: [path: text]).siteAccess()
      }
    }
  }
}
