import SessionBase
import SessionTerminal

/// The network as the interface draws it.
enum UINetwork {
  /// What `session net path` and `session net status` tell of an account.
  static func event(of account: Invocation, _ io: CommandIO, _ opened: OpenAccount) async -> UIEvent {
    do {
      let (paths, state) = try await NetworkView(account, io).told(by: opened)
      return .network(paths.map(route), lines: lines(state))
    } catch {
      return .network([], lines: [CommandFailure(error).message])
    }
  }

  private static func route(_ path: JSONValue) -> NetworkRoute {
    var nodes: [String] = []
    if case .array(let items)? = path["nodes"] { nodes = items.compactMap { $0["address"]?.string } }
    let target = path["target"]?.string ?? ""
    let isFile = path["category"]?.string == "file"
    let end = isFile ? "file server" : target == "swarm" ? "swarm" : target == "server" ? "server" : "network"
    return NetworkRoute(purpose: isFile ? "files" : target, nodes: nodes, end: end)
  }

  private static func lines(_ state: JSONValue) -> [String] {
    var lines = [
      "nodes  \(state["usable_nodes"]?.integer ?? 0) of \(state["nodes"]?.integer ?? 0) usable",
      "guards  \(state["guards_in_use"]?.integer ?? 0) of \(state["guards"]?.integer ?? 0) in use",
    ]
    if let offset = state["clock_offset_ms"]?.integer { lines.append("clock  \(offset) ms off") }
    if let failure = state["failure"]?.string { lines.append("failure  \(failure)") }
    return lines
  }
}
