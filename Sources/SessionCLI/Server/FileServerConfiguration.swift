import SessionCore
import SessionServers
import SessionService

/// The configuration file of a file server.
struct FileServerConfiguration: Sendable {
  private static let day = 86_400

  static let keys: [ConfigKey] = [
    .init(
      name: "folder", kind: .text, summary: "the folder of the server's key and files", isRequired: true),
    .init(
      name: "listen", kind: .text, summary: "the address and port where it listens for HTTP",
      isRequired: true),
    .init(
      name: "url", kind: .text,
      summary: "its URL for clients, such as http://files.example; derived from listen by default"),
    .init(
      name: "max_file_bytes", kind: .integer(1...FileServer.Options.maxFileBytes),
      summary: "the size limit of a file, in bytes; 10000000 by default"),
    .init(
      name: "max_store_mib", kind: .integer(1...1_073_741_824),
      summary: "the size limit of all files together, in MiB; 65536 by default"),
    .init(
      name: "lifetime_days", kind: .integer(1...3650), summary: "days that a file is kept; 21 by default"),
    .init(
      name: "max_lifetime_days", kind: .integer(1...3650),
      summary:
        "the longest lifetime in days that a client may request; by default clients cannot choose"),
    .init(
      name: "max_memory_mib", kind: .integer(32...65_536),
      summary: "the memory limit of concurrent requests, in MiB; further requests wait; 256 by default"),
    .init(
      name: "metrics", kind: .text,
      summary: "the loopback address and port where it serves /metrics for Prometheus"),
    .log, .logFormat,
  ]

  let options: FileServer.Options

  var folder: String { options.folder }

  init(_ path: String, io: CommandIO) throws {
    let file = try Configuration(path, keys: Self.keys, topic: Topic.fileServerConfig.name, io: io)
    guard let folder = file.file("folder"), let address = try file.address("listen") else {
      preconditionFailure("a required setting is missing")
    }
    var options = FileServer.Options(folder: folder, address: address)
    if let url = file.text("url") {
      guard isServerURL(url) else { throw file.mistake("url", serverURLWords) }
      options.url = url
    }
    options.metricsAddress = try file.address("metrics")
    guard options.metricsAddress?.isLoopback ?? true else {
      throw file.mistake("metrics", "an address of loopback, such as 127.0.0.1:9090")
    }
    if let bytes = file.integer("max_file_bytes") { options.maxFileBytes = bytes }
    if let size = file.integer("max_store_mib") { options.maxBytes = size * 1024 * 1024 }
    if let size = file.integer("max_memory_mib") { options.memory = size * 1024 * 1024 }
    if let days = file.integer("lifetime_days") { options.lifetime = .seconds(days * Self.day) }
    options.maxLifetime = file.integer("max_lifetime_days").map { .seconds($0 * Self.day) }
    options.log = try file.log(to: io)
    self.options = options
  }
}

/// Describes a valid server URL, for error messages.
let serverURLWords = "http:// or https:// with a host and, if not the default, a port"

func isServerURL(_ text: String) -> Bool {
  (try? NetworkService(url: text, key: [UInt8](repeating: 0, count: 32))) != nil
}

extension Topic {
  static let fileServerConfig = Topic(
    name: "file-server-config",
    summary: "the configuration file of 'session server file run'",
    discussion: "The syntax is that of 'session help node-config'.",
    rows: FileServerConfiguration.keys.map { ($0.name, $0.summary) },
    examples: [
      .init(
        line: "session server file init --dir files --listen 192.0.2.5:80 --url http://files.example",
        summary: "create a configuration file")
    ])
}
