import SessionCore
import SessionNode
import SessionService

/// The configuration file of a node.
struct NodeConfiguration: Sendable {
  static let keys: [ConfigKey] = [
    .init(
      name: "folder", kind: .text, summary: "the folder of the node's key and messages", isRequired: true),
    .init(
      name: "listen", kind: .text, summary: "the IPv4 address and port where it listens for QUIC",
      isRequired: true),
    .init(name: "announce", kind: .text, summary: "its address for others, if different from listen"),
    .init(name: "registry", kind: .text, summary: "the address of the registry of its network"),
    .init(
      name: "operator", kind: .text,
      summary: "the key of the operator, who signs the list of nodes; required with registry"),
    .init(name: "network", kind: .text, summary: "the network file, for a network without a registry"),
    .init(
      name: "https", kind: .text,
      summary: "the address and port where it listens for HTTPS, which desktop clients need"),
    .init(
      name: "announce_https", kind: .integer(1...65_535),
      summary: "its HTTPS port for others, if different from https"),
    .init(
      name: "metrics", kind: .text,
      summary: "the loopback address and port where it serves /metrics for Prometheus"),
    .init(
      name: "confirm_shrunken_list", kind: .boolean,
      summary: "true to accept a list that dropped more than half of its nodes; false by default"),
    .init(
      name: "max_store_mib", kind: .integer(16...1_048_576),
      summary: "the size limit of the message store, in MiB; 3584 by default"),
    .init(
      name: "proxy_hosts", kind: .texts,
      summary: "the servers that it forwards requests to, such as files.example or *; none by default"),
    .init(
      name: "proxy_private_addresses", kind: .boolean,
      summary: "true if these servers may have loopback or private addresses; false by default"),
    .init(
      name: "exempt_loopback", kind: .boolean,
      summary: "true to exempt clients on this machine from rate limits; false by default"),
    .log, .logFormat,
  ]

  let options: NodeService.Options

  var folder: String { options.folder }

  init(_ path: String, io: CommandIO) throws {
    let file = try Configuration(path, keys: Self.keys, topic: Topic.nodeConfig.name, io: io)
    guard let folder = file.file("folder"), let address = try file.address("listen") else {
      preconditionFailure("a required setting is missing")
    }
    guard address.hostBytes.count == 4 else { throw file.mistake("listen", "an IPv4 address") }
    var options = NodeService.Options(folder: folder, address: address, source: try Self.source(file))
    options.announcedAddress = try file.address("announce")
    let announced = options.announcedAddress ?? address
    guard announced.hostBytes != [0, 0, 0, 0] else {
      throw CommandFailure.data(
        "\(path): other nodes cannot reach 0.0.0.0",
        advice: "Set announce to the address where others find the node.")
    }
    guard options.announcedAddress.map({ $0.hostBytes.count == 4 && $0.port > 0 }) ?? true else {
      throw file.mistake("announce", "an IPv4 address and a port that is not 0")
    }
    options.httpsAddress = try file.address("https")
    options.announcedHTTPSPort = file.integer("announce_https").map { UInt16($0) }
    guard Self.canBeCalled(options, at: announced) else {
      throw file.mistake(
        "https", "an IPv4 address that other nodes can reach, or announce_https must name the port")
    }
    guard options.announcedHTTPSPort == nil || options.httpsAddress != nil else {
      throw file.mistake("announce_https", "only used together with https")
    }
    options.metricsAddress = try file.address("metrics")
    guard options.metricsAddress?.isLoopback ?? true else {
      throw file.mistake("metrics", "an address of loopback, such as 127.0.0.1:9090")
    }
    options.maxBytes = (file.integer("max_store_mib") ?? 3584) * 1024 * 1024
    options.proxyHosts = try (file.texts("proxy_hosts") ?? []).map { (text) throws(Configuration.Mistake) in
      guard let rule = HostRule(text) else {
        throw file.mistake("proxy_hosts", "hosts, such as files.example, files.example:8080, *.example or *")
      }
      return rule
    }
    options.proxiesToPrivateAddresses = file.boolean("proxy_private_addresses") ?? false
    guard !options.proxiesToPrivateAddresses || !options.proxyHosts.contains(where: \.isOpen) else {
      throw file.mistake(
        "proxy_private_addresses", "not allowed with a list of hosts that contains *")
    }
    options.confirmsShrunkenLists = file.boolean("confirm_shrunken_list") ?? false
    options.node.exemptsLoopback = file.boolean("exempt_loopback") ?? false
    options.node.log = try file.log(to: io)
    self.options = options
  }

  /// True if others can call the node over HTTPS at its listening or announced port.
  private static func canBeCalled(_ options: NodeService.Options, at announced: NetworkAddress) -> Bool {
    guard let https = options.httpsAddress, options.announcedHTTPSPort == nil else { return true }
    return https.hostBytes.count == 4 && (!https.isLoopback || announced.isLoopback)
  }

  private static func source(_ file: Configuration) throws -> ListSource {
    let operatorKey = try file.key("operator")
    switch (try file.address("registry"), file.file("network")) {
    case (let registry?, nil):
      guard let operatorKey else {
        throw CommandFailure.data(
          "\(file.path): operator is missing",
          advice: "It is the key that 'session node registry init' shows.")
      }
      do throws(SessionError) {
        return .registry(try RegistryRemote(address: registry, operatorKey: operatorKey))
      } catch {
        throw CommandFailure(error, subject: file.path)
      }
    case (nil, let network?): return .file(network, operatorKey: operatorKey)
    default: throw CommandFailure.data("\(file.path): either registry or network has to be set")
    }
  }
}

extension Topic {
  static let nodeConfig = Topic(
    name: "node-config",
    summary: "the configuration file of 'session node run'",
    discussion: """
      Each line is NAME = VALUE, as in TOML. Strings are quoted, and # starts a comment. Relative paths start from the
      folder of the configuration file.
      """,
    rows: NodeConfiguration.keys.map { ($0.name, $0.summary) },
    examples: [
      .init(
        line:
          "session node init --dir node --listen 192.0.2.1:22020 --registry 192.0.2.9:22000 --operator KEY",
        summary: "create a configuration file")
    ])
}
