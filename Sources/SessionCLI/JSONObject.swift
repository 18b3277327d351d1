import SessionBase
import SessionCore

/// A JSON object that keeps the order of its members. Each that a command writes begins with `"v":1`, the version of its
/// form.
struct JSONObject: Sendable {
  enum Value: Sendable {
    case null
    case string(String)
    case integer(UInt64)
    case difference(Int64)
    /// One that is not finite has no place in JSON.
    case decimal(Double)
    case boolean(Bool)
    case object(JSONObject)
    case objects([JSONObject])
    case strings([String])
    /// Text without characters that JSON escapes, such as a recovery phrase.
    case secret(SecretText)
  }

  private var members: [(name: String, value: Value)]

  /// An object inside of another.
  init(members: [(String, Value)]) { self.members = members.map { (name: $0.0, value: $0.1) } }

  /// A member; one that is new comes last, and nil is none.
  subscript(name: String) -> Value? {
    get { members.first { $0.name == name }?.value }
    set {
      guard let index = members.firstIndex(where: { $0.name == name }) else {
        members += newValue.map { [(name, $0)] } ?? []
        return
      }
      if let newValue { members[index].value = newValue } else { members.remove(at: index) }
    }
  }

  /// All of it where it has no secret in it.
  var text: String {
    parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }

  var parts: [CommandOutput.Part] {
    var parts: [CommandOutput.Part] = [.text("{")]
    for (index, member) in members.enumerated() {
      parts.append(.text((index == 0 ? "" : ",") + JSONText.quoted(member.name) + ":"))
      parts += member.value.parts
    }
    return parts + [.text("}")]
  }
}

extension JSONObject.Value {
  fileprivate var parts: [CommandOutput.Part] {
    switch self {
    case .null: return [.text("null")]
    case .string(let text): return [.text(JSONText.quoted(text))]
    case .integer(let number): return [.text(String(number))]
    case .difference(let number): return [.text(String(number))]
    case .decimal(let number): return [.text("\(number)")]
    case .boolean(let isTrue): return [.text("\(isTrue)")]
    case .object(let object): return object.parts
    case .objects(let objects):
      let listed = objects.enumerated().flatMap { ($0 == 0 ? [] : [.text(",")]) + $1.parts }
      return [.text("[")] + listed + [.text("]")]
    case .strings(let texts): return [.text("[\(texts.map(JSONText.quoted).joined(separator: ","))]")]
    case .secret(let text): return [.text("\""), .secret(text), .text("\"")]
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral members: (String, Value)...) {
    self.init(members: [("v", .integer(1))] + members)
  }
}
