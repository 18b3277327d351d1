import SessionBase
import SessionDaemon
import SessionMessaging

/// The description of the methods for programs, as OpenRPC 1.3 has it. It derives from the command table and the forms of
/// objects.
enum OpenRPC {
  /// The version of the methods: the protocol, and a number that grows with each addition.
  static let version = "1.3"

  static let document: JSONValue = [
    "openrpc": "1.3.2",
    "info": [
      "title": "session", "version": .string(version),
      "description": "JSON-RPC of 'session daemon' and 'session rpc'; see 'session help bots'.",
    ],
    "methods": .array(MethodDescription.all.map(method)),
    "components": [
      "schemas": .object(
        JSONForm.all.filter { $0.name != JSONForm.failure.name }.map { form in
          .init(identifier(form.name), schema(of: form))
        }),
      "errors": .object(
        errors.map { .init($0.name, ["code": .integer($0.code), "message": .string($0.text)]) }),
    ],
    "x-event-kinds": .array(MessengerEvent.Kind.allCases.map { .string($0.rawValue) }),
    "x-signal-kinds": .array(Signal.Kind.allCases.map { .string($0.rawValue) }),
  ]

  /// The document with a member on each line.
  static var text: String { pretty(document, 0) + "\n" }

  // MARK: - Methods

  private static func method(_ method: MethodDescription) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(method.name)), .init("summary", .string(method.summary)),
      .init("paramStructure", "by-name"), .init("params", .array(method.parameters.map(parameter))),
      .init("result", ["name": "result", "schema": schema(of: method.result)]),
      .init("errors", .array(usualErrors.map { ["$ref": .string("#/components/errors/\($0)")] })),
    ]
    if let scope = method.scope { members.append(.init("x-scope", .string(scope.rawValue))) }
    return .object(members)
  }

  private static func parameter(_ parameter: MethodParameter) -> JSONValue {
    [
      "name": .string(parameter.name), "summary": .string(parameter.summary),
      "required": .boolean(parameter.isRequired), "schema": schema(of: parameter.kind),
    ]
  }

  private static func schema(of kind: MethodParameter.Kind) -> JSONValue {
    switch kind {
    case .text: ["type": "string"]
    case .number: ["type": "integer"]
    case .boolean: ["type": "boolean"]
    case .word(let words): ["enum": .array(words.map { .string($0) })]
    case .texts: ["type": .array(["string", "array"]), "items": ["type": "string"]]
    case .any: ["type": .array(["string", "integer"])]
    case .secret: ["type": .array(["string", "object"]), "properties": ["fd": ["type": "integer"]]]
    case .files: ["anyOf": .array([file, ["type": "array", "items": file]])]
    }
  }

  /// A file to send: a path, or an object with one of `fd`, `path`, `data` and `file`.
  private static let file: JSONValue = [
    "anyOf": .array([
      ["type": "string"],
      [
        "type": "object",
        "properties": [
          "fd": [
            "type": "integer", "description": "which of the descriptors that were passed with the line",
          ],
          "path": [
            "type": "string", "description": "needs the scope admin, unless it is in one of file_folders",
          ],
          "file": [
            "type": "string", "description": "a file that was sent with file.begin or POST /v1/files",
          ],
          "data": [
            "type": "string", "description": .string("base64 of up to \(AttachedFiles.maxData) bytes"),
          ],
          "name": ["type": "string", "description": "the name that recipients see"],
          "caption": ["type": "string"], "content_type": ["type": "string"], "voice": ["type": "boolean"],
        ],
      ],
    ])
  ]

  private static func schema(of result: MethodDescription.Result) -> JSONValue {
    switch result {
    case .object(let forms): oneOf(forms)
    case .list(let forms): list(forms)
    case .either(let forms): ["anyOf": .array([list(forms), oneOf(forms)])]
    case .document: ["type": "object"]
    }
  }

  private static func list(_ forms: [String]) -> JSONValue {
    [
      "type": "object", "required": .array(["items", "more"]),
      "properties": [
        "items": ["type": "array", "items": oneOf(forms)], "more": ["type": "boolean"],
        "next": ["type": "integer"],
      ],
    ]
  }

  private static func oneOf(_ forms: [String]) -> JSONValue {
    guard forms.count > 1 else { return reference(forms.first ?? "") }
    return ["anyOf": .array(forms.map(reference))]
  }

  // MARK: - Objects

  private static func reference(_ form: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(identifier(form))")]
  }

  /// `listed account` is `ListedAccount`.
  private static func identifier(_ form: String) -> String {
    form.split { $0 == " " || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func schema(of form: JSONForm) -> JSONValue {
    let version = JSONValue.Member("v", ["const": 1])
    let members = form.members.map { member in
      JSONValue.Member(member.name, schema(of: member.value, "description", member.summary))
    }
    return [
      "type": "object", "description": .string(form.summary),
      "required": .array(form.members.filter { !$0.isOptional }.map { .string($0.name) }),
      "properties": .object([version] + members),
    ]
  }

  private static func schema(of value: JSONForm.Value, _ label: String, _ summary: String) -> JSONValue {
    let members: [JSONValue.Member] =
      switch value {
      case .text: [.init("type", "string")]
      case .number: [.init("type", "number")]
      case .time: [.init("type", "integer")]
      case .boolean: [.init("type", "boolean")]
      case .word(let words): [.init("enum", .array(words.map { .string($0) }))]
      case .object(let form): [.init("allOf", .array([reference(form)]))]
      case .objects(let form): [.init("type", "array"), .init("items", reference(form))]
      case .texts: [.init("type", "array"), .init("items", ["type": "string"])]
      }
    return .object(members + [.init(label, .string(summary))])
  }

  // MARK: - Errors

  /// Those that every method has.
  private static let usualErrors = ["invalid-params", "permission", "configuration"]

  private static var errors: [(name: String, code: Int64, text: String)] {
    let own: [(String, Int64, String)] = [
      ("parse", -32700, "the line is not JSON"), ("invalid-request", -32600, "the JSON is not a call"),
      ("no-method", -32601, "there is no such method"), ("invalid-params", -32602, "a parameter is wrong"),
      ("internal", -32603, "an internal error"),
    ]
    let shared = ExitCode.allCases.filter { ![.success, .usage, .readerGone].contains($0) }
    return own + shared.map { ($0.name, Int64($0.rawValue), $0.meaning) }
  }

  // MARK: - Text

  private static func pretty(_ value: JSONValue, _ depth: Int) -> String {
    let (outer, inner) = (String(repeating: "  ", count: depth), String(repeating: "  ", count: depth + 1))
    switch value {
    case .object(let members) where !members.isEmpty && !isSmall(value):
      let lines = members.map { "\(inner)\(JSONText.quoted($0.name)): \(pretty($0.value, depth + 1))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    case .array(let elements) where !elements.isEmpty && !isSmall(value):
      return "[\n" + elements.map { inner + pretty($0, depth + 1) }.joined(separator: ",\n") + "\n\(outer)]"
    default: return value.description
    }
  }

  /// True for what fits a line.
  private static func isSmall(_ value: JSONValue) -> Bool { value.description.utf8.count <= 100 }
}
