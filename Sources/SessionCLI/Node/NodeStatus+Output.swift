import SessionCore
import SessionNode

extension NodeStatus {
  var table: CommandOutput {
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("key", .text(key)), ("address", .text(address)),
      ("state", .text(unreadiness.map { "not ready: \($0)" } ?? "ready")),
      ("swarm", .text(swarm.map { String($0, radix: 16) } ?? "none")),
      ("list", .text("height \(height), \(listedNodes) nodes")),
      ("messages", .text("\(messages)")), ("subscriptions", .text("\(subscriptions)")),
      ("owed", .text("\(debts) requests, \(transfers) whole stores")), ("requests", .text("\(requests)")),
      ("memory", .text("\(memory / 1_048_576) MiB")), ("uptime", .text("\(uptimeSeconds) s")),
    ]
    if let httpsAddress { fields.insert(("https", .text(httpsAddress)), at: 2) }
    for (index, member) in members.enumerated() {
      let state = member.isReachable.map { $0 ? "answers" : "does not answer" } ?? "not called yet"
      fields.append((index == 0 ? "members" : "", .text("\(member.key)  \(member.address)  \(state)")))
    }
    return CommandOutput(fields: fields)
  }

  var json: JSONObject {
    var object: JSONObject = [
      "key": .string(key), "address": .string(address), "version": .string(version),
      "ready": .boolean(isReady), "height": .integer(height),
      "listed_nodes": .integer(UInt64(listedNodes)), "messages": .integer(UInt64(messages)),
      "subscriptions": .integer(UInt64(subscriptions)), "debts": .integer(UInt64(debts)),
      "transfers": .integer(UInt64(transfers)), "requests": .integer(requests),
      "memory": .integer(UInt64(memory)), "uptime_seconds": .integer(UInt64(uptimeSeconds)),
    ]
    object["reason"] = unreadiness.map { .string($0) }
    object["https"] = httpsAddress.map { .string($0) }
    object["swarm"] = swarm.map { .string(String($0, radix: 16)) }
    object["members"] = .objects(
      members.map { member in
        var one = JSONObject(members: [("key", .string(member.key)), ("address", .string(member.address))])
        one["reachable"] = member.isReachable.map { .boolean($0) }
        return one
      })
    return object
  }
}

extension RegistryStatus {
  var table: CommandOutput {
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("name", .text(name)), ("operator", .text(operatorKey)), ("address", .text(address)),
      ("network file", .text(networkFile)),
      ("list", .text("height \(height), \(nodes.count) nodes of \(allowed) that are allowed")),
      ("uptime", .text("\(uptimeSeconds) s")),
    ]
    if awaitsConfirmation {
      fields.append(
        ("allowed", .text("most nodes are no longer allowed; confirm with 'session node registry confirm'")))
    }
    for (index, node) in nodes.enumerated() {
      let swarm = node.swarm == NodeRecord.noSwarm ? "no swarm" : "swarm \(String(node.swarm, radix: 16))"
      let reports = node.reportedBy == 0 ? "" : ", not reached by \(node.reportedBy)"
      fields.append(
        (
          index == 0 ? "nodes" : "",
          .text(
            "\(node.key)  \(node.address)  \(swarm)  \(node.state.rawValue), heard \(node.silentSeconds) s ago\(reports)"
          )
        ))
    }
    return CommandOutput(fields: fields)
  }

  var json: JSONObject {
    [
      "name": .string(name), "operator": .string(operatorKey), "address": .string(address),
      "network_file": .string(networkFile), "height": .integer(height), "allowed": .integer(UInt64(allowed)),
      "awaits_confirmation": .boolean(awaitsConfirmation),
      "uptime_seconds": .integer(UInt64(uptimeSeconds)),
      "nodes": .objects(
        nodes.map { node in
          var one = JSONObject(members: [
            ("key", .string(node.key)), ("address", .string(node.address)),
            ("state", .string(node.state.rawValue)), ("silent_seconds", .integer(UInt64(node.silentSeconds))),
            ("reported_by", .integer(UInt64(node.reportedBy))),
          ])
          if node.swarm != NodeRecord.noSwarm { one["swarm"] = .string(String(node.swarm, radix: 16)) }
          return one
        }),
    ]
  }
}
