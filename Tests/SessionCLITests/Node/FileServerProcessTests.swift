import Foundation
import Glibc
import SessionCore
import SessionHTTP
import Testing

@testable import SessionCLI

/// A file server as operators run it: a process of its own.
@Suite(.timeLimit(.minutes(10))) struct FileServerProcessTests {
  private func value(_ name: String, of line: String) throws -> String {
    let pair = try #require(line.split(separator: " ").first { $0.hasPrefix(name + "=") }, "\(line)")
    return String(pair.dropFirst(name.count + 1))
  }

  private func send(
    _ client: HTTPClient, _ method: HTTPMethod, _ url: String, body: [UInt8]? = nil
  ) async throws -> HTTPClient.Reply {
    var request = HTTPClient.Request(method, url, body: body)
    request.timeout = .seconds(600)
    return try await client.send(request)
  }

  @Test func aServerKeepsFilesAndIsAsked() async throws {
    let program = try Program()
    let made = try await program.ran("server", "file", "init", "--dir", "files", "--listen", "127.0.0.1:0")
    try #require(made.status == 0, "\(made.messages)")
    let key = made.output.trimmingCharacters(in: .newlines)
    let config = ["--config", "files/file-server.toml"]
    #expect(try await program.ran("server", "file", "status", config[0], config[1]).status == 69)

    let first = try ServerProcess(program, ["server", "file", "run"] + config)
    let began = try await first.line(with: "file server began")
    #expect(try value("key", of: began) == key)
    let url = try value("url", of: began)
    let client = try HTTPClient()
    let sent = try await send(client, .post, url + "/file", body: Array("hello".utf8))
    #expect(sent.status == 200)

    let second = try await program.ran("server", "file", "run", config[0], config[1])
    #expect(second.status == 69)
    #expect(second.messages.hasPrefix("session: another process uses files\n"))
    let shown = try await program.ran("server", "file", "status", config[0], config[1])
    #expect(shown.output.contains("files     1\n"), "\(shown.output)")
    let told = try await program.ran("server", "file", "status", "--json", config[0], config[1])
    let status = try #require(
      try expectForms(inLines: told.output, writtenBy: ["server", "file", "status"]).first)
    #expect(status["key"] as? String == key)
    #expect(status["bytes"] as? Int == 5)
    #expect(try await program.ran("server", "file", "key", config[0], config[1]).output == key + "\n")

    first.signal(SIGKILL)
    #expect(await first.end() == SIGKILL)
    let again = try ServerProcess(program, ["server", "file", "run"] + config)
    let place = try value("url", of: try await again.line(with: "file server began"))
    let found = try await send(client, .get, place + "/file/tKO2VVg1JPHwgZuvqK_7bDHJeSr4UJ_8i13ETlwAn0jB")
    #expect(found.body == Array("hello".utf8))
    await client.stop()
    again.signal(SIGTERM)
    #expect(await again.end() == 0)
  }

  @Test(arguments: [
    "", "folder = \".\"", "folder = \".\"\nlisten = \"x\"",
    "folder = \".\"\nlisten = \"127.0.0.1:0\"\nurl = \"files.example\"",
    "folder = \".\"\nlisten = \"127.0.0.1:0\"\nurl = \"http://files.example/\"",
    "folder = \".\"\nlisten = \"127.0.0.1:0\"\nmax_file_bytes = 10000001",
    "folder = \".\"\nlisten = \"127.0.0.1:0\"\nmetrics = \"192.0.2.1:1\"",
  ])
  func aConfigurationThatMakesNoSenseIsRefused(text: String) async {
    let world = MemoryIO(files: ["c.toml": text])
    #expect(await world.run(["server", "file", "run", "--config", "c.toml"]) == .data)
  }
}
