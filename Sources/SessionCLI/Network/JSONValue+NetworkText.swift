import SessionBase

// The same for people: the JSON may come from the program that holds the account.

extension JSONValue {
  /// The most changes that people are shown.
  private static let shownChanges = 8

  /// The state of the network, as fields.
  var networkFields: [(label: String, value: CommandOutput.Part)] {
    func number(_ name: String) -> Int64 { self[name]?.integer ?? 0 }
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("state", .text(self["state"]?.string ?? "")),
      ("nodes", .text("\(number("nodes")), \(number("usable_nodes")) usable")),
      ("guards", .text("\(number("guards")), \(number("guards_in_use")) in use")),
    ]
    // A clock is never exact.
    if let offset = self["clock_offset_ms"]?.integer, abs(offset) >= 1000 {
      fields.append(("clock", .text("off by \(offset) ms")))
    }
    if case .array(let servers)? = self["servers"] {
      fields += servers.map { ("server", .text($0.serverText)) }
    }
    guard case .array(let changes)? = self["changes"] else { return fields }
    return fields + changes.prefix(Self.shownChanges).map { ("change", .text($0.changeText)) }
  }

  private var serverText: String {
    let url = DisplayText.line(self["url"]?.string ?? "")
    guard let count = self["failures"]?.integer, count > 0 else {
      return "\(url)  \((self["polls"]?.integer ?? 0) > 0 ? "reachable" : "not polled yet")"
    }
    return
      "\(url)  failed \(count) \(count == 1 ? "time" : "times"): \(DisplayText.line(self["failure"]?.string ?? ""))"
  }

  private var changeText: String {
    let time = LocalTime.text(self["at"]?.integer ?? 0)
    let (change, reason) = (self["change"]?.string ?? "", self["reason"]?.string ?? "")
    return "\(time)  \(shortKey)  \(change): \(Self.reasons[reason] ?? reason)"
  }

  private static let reasons = [
    "start": "first start", "lost file": "file lost", "need": "too few usable", "age": "expired",
    "lists": "list of nodes changed", "failed paths": "paths failed", "reply": "a reply came",
    "another process": "changed by another program", "person": "reset by the user",
  ]

  var pathText: String {
    guard case .array(let nodes)? = self["nodes"] else { return "" }
    let target = self["target"]?.string ?? ""
    let purpose = target == "network" ? "lists and times" : "one \(target)"
    let hops = nodes.enumerated().map { "  \($0 + 1)  \($1["address"]?.string ?? "")  \($1.shortKey)\n" }
    return "\(self["category"] == "file" ? "files" : "messages"), for \(purpose)\n" + hops.joined()
  }

  var guardText: String {
    var words = [self["state"]?.string ?? ""]
    if self["in_use"] == true { words.append("in use") }
    if self["primary"] == true { words.append("primary") }
    if self["set_back"] == true { words.append("set back") }
    if self["listed"] == false { words.append("not listed") }
    return "\(shortKey)  \(self["address"]?.string ?? "-")  \(words.joined(separator: ", "))\n"
  }

  private var shortKey: String { "\((self["key"]?.string ?? "").prefix(16))…" }
}
