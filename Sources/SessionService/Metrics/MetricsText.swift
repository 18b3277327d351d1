/// Measurements in the text form that Prometheus reads.
package struct MetricsText {
  package enum Kind: String {
    case counter
    case gauge
  }

  package private(set) var text = ""

  package init() {}

  /// Adds a measurement without labels.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    let none: KeyValuePairs<String, String> = [:]
    add(name, kind, help, [(none, value)])
  }

  /// Adds a measurement once for each set of labels.
  package mutating func add(
    _ name: String, _ kind: Kind, _ help: String,
    _ series: [(labels: KeyValuePairs<String, String>, value: some BinaryInteger)]
  ) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in series {
      let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
      text += name + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(value)\n"
    }
  }

  private static func escaped(_ value: String) -> String {
    value.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
  }
}
