import SessionCore
import SessionEndpoint
import SessionNode
import SessionService
import Testing

@testable import SessionCLI

/// Configuration files of nodes and registries, as commands take them.
@Suite struct ConfigurationTests {
  private static let key = String(repeating: "ab", count: 32)
  private static let good = """
    folder = "state"
    listen = "192.0.2.1:22020"
    registry = "192.0.2.9:22000"
    operator = "\(key)"
    """

  private func told(_ words: String..., text: String) async -> (ExitCode, String) {
    let world = MemoryIO(files: ["x/node.toml": text])
    let code = await world.run(["node"] + words + ["--config", "x/node.toml"])
    #expect(world.output == "")
    return (code, world.messages.first ?? "")
  }

  @Test(
    arguments: [
      ("listn = \"a\"", "there is no setting listn; did you mean listen?"),
      ("qqq = 1", "there is no setting qqq"),
      ("max_store_mib = 1", "max_store_mib is a number, 16 to 1048576"),
      ("max_store_mib = \"1\"", "max_store_mib is a number, 16 to 1048576"),
      ("exempt_loopback = 1", "exempt_loopback is true or false"),
      ("log = \"loud\"", "log is error, warning, info, debug"),
      ("log_format = \"xml\"", "log_format is text or json"),
      ("announce = \"here\"", "announce is an address and a port, such as 192.0.2.1:22020"),
      ("announce = \"[2001:db8::1]:5\"", "announce is an IPv4 address and a port that is not 0"),
      ("announce = \"192.0.2.1:0\"", "announce is an IPv4 address and a port that is not 0"),
      (
        "https = \"[2001:db8::1]:5\"",
        "https is an IPv4 address that other nodes can reach, or announce_https must name the port"
      ),
      (
        "https = \"127.0.0.1:5\"",
        "https is an IPv4 address that other nodes can reach, or announce_https must name the port"
      ),
      ("announce_https = 443", "announce_https is only used together with https"),
      ("metrics = \"192.0.2.1:9\"", "metrics is an address of loopback, such as 127.0.0.1:9090"),
      ("folder = \"b\"", "folder is already set in line 1"),
    ])
  func aLineThatIsWrongIsNamed(line: String, what: String) async {
    let (code, message) = await told("run", text: "\(Self.good)\n\(line)")
    #expect(code == .data)
    #expect(message == "session: x/node.toml, line 5: \(what)")
  }

  @Test(
    arguments: [
      ("", ": folder is missing"),
      ("folder = \"a\"", ": listen is missing"),
      ("folder = 5", ", line 1: folder is text in quotation marks"),
      ("folder = \"a\"\nlisten = \"[::1]:5\"\nnetwork = \"n\"", ", line 2: listen is an IPv4 address"),
      ("folder = \"a\"\nlisten = \"1.2.3.4:5\"", ": either registry or network has to be set"),
      ("folder = \"a\"\nlisten = \"1.2.3.4:5\"\nregistry = \"1.2.3.4:6\"", ": operator is missing"),
      ("folder = \"a\"\nlisten = \"0.0.0.0:5\"\nnetwork = \"b\"", ": other nodes cannot reach 0.0.0.0"),
    ])
  func missingSettingsAreNamed(text: String, what: String) async {
    let (code, message) = await told("run", text: text)
    #expect(code == .data)
    #expect(message == "session: x/node.toml\(what)")
  }

  @Test func aNodeHasOneSourceOfItsList() async {
    let (code, message) = await told("run", text: "\(Self.good)\nnetwork = \"a\"")
    #expect(code == .data)
    #expect(message == "session: x/node.toml: either registry or network has to be set")
  }

  @Test func aFileMayNotBeTooLarge() async {
    let (code, _) = await told("run", text: String(repeating: "#", count: 65_537))
    #expect(code == .data)
    let missing = MemoryIO()
    #expect(await missing.run("node", "run", "--config", "absent") == .noInput)
  }

  @Test func rulesOfSwarmsHaveToFitTogether() async {
    let text = "folder = \"a\"\nlisten = \"127.0.0.1:5\"\nswarm_min = 5\nswarm_max = 8\n"
    let (code, message) = await told("registry", "run", text: text)
    #expect(code == .data)
    #expect(message == "session: x/node.toml: swarm_max is at least 9 where swarm_min is 5")
  }

  @Test(
    arguments: [
      ("file_server = \"http://files.example\"", ": file_server_key is missing"),
      ("file_server_key = \"\(Self.key)\"", ": file_server is missing"),
      (
        "file_server = \"ftp://files.example\"\nfile_server_key = \"\(Self.key)\"",
        ", line 3: file_server is \(serverURLWords)"
      ),
      (
        "file_server = \"http://files.example\"\nfile_server_key = \"ab\"",
        ", line 4: file_server_key is a key of 64 hexadecimal digits"
      ),
    ])
  func aFileServerHasAnAddressAndAKey(text: String, what: String) async {
    let (code, message) = await told(
      "registry", "run", text: "folder = \"a\"\nlisten = \"127.0.0.1:5\"\n\(text)")
    #expect(code == .data)
    #expect(message == "session: x/node.toml\(what)")
  }

  @Test func aRegistryNamesAFileServer() throws {
    let text = """
      folder = "a"
      listen = "127.0.0.1:5"
      file_server = "http://files.example"
      file_server_key = "\(Self.key)"
      """
    let options = try RegistryConfiguration("x/registry.toml", io: .reading(text)).options
    #expect(options.services[NetworkService.fileServer]?.url == "http://files.example")
    #expect(options.services[NetworkService.fileServer]?.key.hex == Self.key)
  }

  @Test func namesOfFilesBeginBesideTheConfiguration() throws {
    let text = Self.good + "\nlog = \"debug\"\nmax_store_mib = 64\nannounce = \"198.51.100.1:7\"\n"
    let options = try NodeConfiguration("x/y/node.toml", io: .reading(text)).options
    #expect(options.folder == "x/y/state")
    #expect("\(options.address)" == "192.0.2.1:22020")
    #expect(options.announcedAddress.map { "\($0)" } == "198.51.100.1:7")
    #expect(options.maxBytes == 64 << 20)
    #expect(options.node.log.level == .debug)
    guard case .registry(let registry) = options.source else {
      Issue.record("the source is \(options.source)")
      return
    }
    #expect(registry.peer.key.hex == Self.key)
  }

  @Test(
    arguments: [
      ["init", "--dir", "x", "--listen", "a", "--network", "n"],
      ["init", "--dir", "x", "--listen", "1.2.3.4:5"],
      ["init", "--dir", "x", "--listen", "1.2.3.4:5", "--registry", "1.2.3.4:5"],
      ["registry", "allow", "--config", "x"], ["registry", "allow", "abc", "--config", "x"],
      ["registry", "list", "--from", "1.2.3.4:5", "--operator", "abc"],
    ])
  func invalidArgumentsAreRefused(words: [String]) async {
    let world = MemoryIO()
    #expect(await world.run(["node"] + words) == .usage)
    #expect(world.output == "")
  }
}
