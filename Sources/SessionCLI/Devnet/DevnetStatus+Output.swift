import SessionBase
import SessionCore
import SessionEndpoint
import SessionNode

extension CommandOutput {
  init(_ status: DevnetStatus, asJSON: Bool) {
    if asJSON { self.init(json: status.json) } else { self.init(text: DevnetTable(status: status).text) }
  }
}

extension DevnetStatus {
  fileprivate var json: JSONObject {
    [
      "network_file": .string(networkFile), "memory": .integer(UInt64(memory)),
      "nodes": .objects(nodes.map(\.json)), "servers": .objects(servers.map(\.json)),
    ]
  }
}

extension DevnetStatus.Node {
  fileprivate var json: JSONObject {
    JSONObject(members: [
      ("number", .integer(UInt64(number))), ("key", .string(key)), ("address", .string(address)),
      ("swarm", .string(String(swarm, radix: 16))), ("alive", .boolean(isAlive)),
      ("messages", .integer(UInt64(messages))), ("delay_ms", .integer(UInt64(weather.delay.milliseconds))),
      ("loss", .decimal(weather.loss)),
    ])
  }
}

extension DevnetStatus.Server {
  fileprivate var json: JSONObject {
    JSONObject(members: [
      ("name", .string(name)), ("url", .string(url)), ("key", .string(key)), ("summary", .string(summary)),
    ])
  }
}
