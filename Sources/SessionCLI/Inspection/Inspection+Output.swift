extension CommandOutput {
  /// An inspection as an indented tree, or as one line of JSON. What is bad in it shows in how the program ends.
  init(_ inspection: Inspection, asJSON: Bool) {
    if asJSON {
      self.init(json: ["inspection": .object(inspection.json)])
    } else {
      self.init(data: inspection.tree())
    }
    if inspection.isBad { status = .data }
  }
}

extension Inspection {
  /// One line for each part: offset, length, name and content.
  func tree() -> [CommandOutput.Part] {
    [.heading("offset  length  what\n")] + lines(depth: 0)
  }

  /// True if it, or anything in it, is not what it should be.
  var isBad: Bool { verdict == .bad || parts.contains(where: \.isBad) }

  private func lines(depth: Int) -> [CommandOutput.Part] {
    let indent = String(repeating: "  ", count: depth)
    let title = name + (number.map { " (\($0))" } ?? "")
    let verdict = verdict.map { ": \($0.rawValue)" } ?? ""
    let value = value.map { "  " + $0 } ?? ""
    let line: [CommandOutput.Part] = [
      .text(margin + indent), parts.isEmpty ? .text(title) : .heading(title), .text(verdict + value + "\n"),
    ]
    return line + parts.flatMap { $0.lines(depth: depth + 1) }
  }

  private var margin: String {
    guard let place else { return String(repeating: " ", count: 16) }
    let offset = String(place.lowerBound, radix: 16)
    let length = String(place.count)
    return String(repeating: "0", count: max(0, 6 - offset.count)) + offset
      + String(repeating: " ", count: max(1, 8 - length.count)) + length + "  "
  }

  fileprivate var json: JSONObject {
    var object = JSONObject(members: [("name", .string(name))])
    object["offset"] = place.map { .integer(UInt64($0.lowerBound)) }
    object["length"] = place.map { .integer(UInt64($0.count)) }
    object["number"] = number.map { .integer($0) }
    object["value"] = value.map { .string($0) }
    object["verdict"] = verdict.map { .string($0.rawValue) }
    if !parts.isEmpty { object["parts"] = .objects(parts.map(\.json)) }
    return object
  }
}
