import SessionBase
public import SessionCore

extension NetworkFile {
  /// Creates a file of these nodes, signed by the operator.
  public init(
    name: String, height: UInt64, fork: [UInt16] = usualFork, nodes: [NodeRecord],
    services: [String: NetworkService] = [:], operatorKeys: NodeKeys
  ) throws(SessionError) {
    let lines = nodes.map { "    " + $0.json }.joined(separator: ",\n")
    let services = services.sorted { $0.key < $1.key }.map { name, service in
      "\(JSONText.quoted(name)): {\"url\": \(JSONText.quoted(service.url)), \"ed25519\": \"\(service.key.hex)\"}"
    }.joined(separator: ", ")
    let hash = try Core.hash(of: "\(height) \(lines)".utf8)
    let signed = """
      "operator": "\(operatorKeys.publicKey.hex)",
      "name": \(JSONText.quoted(name)),
      "height": \(height),
      "block_hash": "\(hash.hex)",
      "hardfork": \(fork[0]),
      "snode_revision": \(fork[1]),
      "services": {\(services)},
      "service_node_states": [
      \(lines)
      ]
      }

      """
    let signature = try operatorKeys.sign(signed.utf8).base64
    try self.init(parsing: Array("{\"signature\": \"\(signature)\",\n\(signed)".utf8))
  }
}

extension NodeRecord {
  fileprivate var json: String {
    let fields = [
      ("service_node_pubkey", "\"\(legacyKey.hex)\""), ("pubkey_ed25519", "\"\(key.hex)\""),
      ("pubkey_x25519", "\"\(exchangeKey.hex)\""),
      ("public_ip", "\"\(host.map(String.init).joined(separator: "."))\""),
      ("storage_port", "\(httpsPort)"), ("storage_lmq_port", "\(quicPort)"),
      ("storage_server_version", "[\(version.map(String.init).joined(separator: ", "))]"),
      ("swarm_id", "\(swarm)"), ("funded", "\(isFunded)"), ("requested_unlock_height", "0"),
    ]
    return "{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }
}
