import SessionCore

/// A flat JSON object that keeps the order of its members. Each begins with `"v":1`, the version of its form.
struct JSONObject: Sendable {
  enum Value: Sendable {
    case string(String)
    case integer(UInt64)
    /// Text without characters that JSON escapes, such as a recovery phrase.
    case secret(SecretText)
  }

  private let members: [(name: String, value: Value)]

  var parts: [CommandOutput.Part] {
    var parts: [CommandOutput.Part] = [.text("{")]
    for (index, member) in members.enumerated() {
      parts.append(.text((index == 0 ? "" : ",") + Self.quoted(member.name) + ":"))
      switch member.value {
      case .string(let text): parts.append(.text(Self.quoted(text)))
      case .integer(let number): parts.append(.text(String(number)))
      case .secret(let text): parts += [.text("\""), .secret(text), .text("\"")]
      }
    }
    return parts + [.text("}")]
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral members: (String, Value)...) {
    self.members = [("v", .integer(1))] + members
  }
}
