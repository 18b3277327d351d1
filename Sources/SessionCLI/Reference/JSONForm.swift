/// A kind of object that commands write with --json. `session-json(5)` derives from it, and tests compare the output of
/// commands with it.
struct JSONForm: Sendable {
  let name: String
  /// Its meaning, without a full stop.
  let summary: String
  /// The names of the commands that write it; none for one that is only in others.
  var commands: [String] = []
  /// The methods of JSON-RPC that return it, beyond those of the commands.
  var methods: [String] = []
  let members: [Member]

  struct Member: Sendable {
    let name: String
    let value: Value
    /// Without a full stop.
    let summary: String
    var isOptional = false
  }

  enum Value: Hashable, Sendable {
    case text
    case number
    /// Milliseconds since 1970.
    case time
    case boolean
    /// One of these texts.
    case word([String])
    /// An object of the form of that name.
    case object(String)
    /// Some of them.
    case objects(String)
    /// Some texts.
    case texts
  }
}

extension JSONForm {
  /// The commands that write it, as the manual puts it.
  var author: String {
    if name == Self.failure.name { return "written to standard error by every command that fails" }
    var authors: [String] = []
    if !commands.isEmpty {
      authors.append("written by " + commands.map { "'session \($0)'" }.joined(separator: ", "))
    }
    if !methods.isEmpty {
      let word = methods.count == 1 ? "method" : "methods"
      authors.append("the result of the \(word) " + methods.joined(separator: ", "))
    }
    return authors.isEmpty ? "part of other objects" : authors.joined(separator: "; ")
  }

  static func named(_ name: String) -> JSONForm? { all.first { $0.name == name } }

  /// The forms that a command writes.
  static func forms(of command: String) -> [JSONForm] { all.filter { $0.commands.contains(command) } }
}

extension JSONForm.Value {
  /// The description in the manual.
  var description: String {
    switch self {
    case .text: "text"
    case .number: "number"
    case .time: "milliseconds since 1970"
    case .boolean: "true or false"
    case .word(let words): words.map { "\"\($0)\"" }.joined(separator: ", ")
    case .object(let form): "object: \(form)"
    case .objects(let form): "array of objects: \(form)"
    case .texts: "array of texts"
    }
  }
}

extension JSONForm.Member {
  static func required(_ name: String, _ value: JSONForm.Value, _ summary: String) -> Self {
    Self(name: name, value: value, summary: summary)
  }

  static func optional(_ name: String, _ value: JSONForm.Value, _ summary: String) -> Self {
    Self(name: name, value: value, summary: summary, isOptional: true)
  }

  /// The member that distinguishes forms.
  static func type(_ name: String) -> Self { required("type", .word([name]), "the type of this object") }
}
