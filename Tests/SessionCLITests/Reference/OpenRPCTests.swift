import Foundation
import SessionBase
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// The description of the methods for programs.
@Suite struct OpenRPCTests {
  /// To accept a change, run the tests with UPDATE_GOLDEN=1 and read the difference: members, methods and optional
  /// parameters may be added, nothing may go or change its type. An addition raises `OpenRPC.version`.
  @Test func theDocumentIsTheOneThatWasPinned() async throws {
    let golden = URL(filePath: #filePath).appending(path: "../../../../docs/openrpc.json").standardizedFileURL
    let world = MemoryIO()
    #expect(await world.run("daemon", "schema") == .success)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try Data(world.output.utf8).write(to: golden)
    }
    #expect(world.output == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
    #expect(try JSONReader.value(of: world.outputBytes) == OpenRPC.document)
  }

  @Test func eachPublicMethodIsDescribed() throws {
    let (end, settings) = (DaemonEnd(), try LiveSettings { _ in DaemonSettings() })
    let greeting = Greeting(version: "1", dataRoot: try FileIdentity(of: "/"))
    let served = RPCMethod.table(
      CommandMethods.served(MemoryIO().io(), ClientFiles(in: StorageRoots(inside: "/nowhere")))
        + [.stop(end), .restart(end, settings) {}, .reload(settings)],
      greeting, connections: Counter())
    let known = served.values.filter { !$0.name.hasPrefix("x.") }.sorted { $0.name < $1.name }
    #expect(known.map(\.name) == MethodDescription.all.map(\.name))
    #expect(known.map(\.scope) == MethodDescription.all.map(\.scope))
    for (method, description) in zip(known, MethodDescription.all) {
      guard let parameters = method.parameters else { continue }
      // One of them is for programs of this project alone.
      #expect(
        Set(parameters).subtracting(["internal"]) == Set(description.parameters.map(\.name)), "\(method.name)"
      )
    }
  }

  @Test func eachResultHasAForm() {
    for method in MethodDescription.all {
      switch method.result {
      case .object(let forms), .list(let forms), .either(let forms):
        #expect(!forms.isEmpty, "\(method.name)")
        for form in forms { #expect(JSONForm.named(form) != nil, "\(method.name): \(form)") }
      case .document: continue
      }
    }
    for (form, method) in JSONForm.all.flatMap({ form in form.methods.map { (form.name, $0) } }) {
      guard let described = MethodDescription.named(method) else {
        Issue.record("\(form): there is no method \(method)")
        continue
      }
      #expect([.object([form]), .list([form])].contains(described.result), "\(form): \(method)")
    }
  }

  @Test(
    arguments: [
      ("daemon.ping", ["at": 1_700_000_000_000], nil), ("daemon.ping", [:], "at is missing"),
      ("daemon.ping", ["at": "now"], "at is no integer"),
      ("daemon.ping", ["at": 1, "by": 2], "by is not described"),
      ("account.list", ["items": [], "more": false], nil), ("account.list", ["items": []], "more is missing"),
      ("account.list", ["items": .array([["name": "a"]]), "more": false], "network is missing"),
    ] as [(String, JSONValue, String?)])
  func resultsAreHeldAgainstTheDocument(method: String, result: JSONValue, mistake: String?) {
    #expect(ResultChecker.mistake(in: result, of: method) == mistake)
  }
}

/// Holds results against the OpenRPC document, as a client that reads the document would.
enum ResultChecker {
  /// Nil for a result that the document describes.
  static func mistake(in result: JSONValue, of method: String) -> String? {
    guard case .array(let methods)? = OpenRPC.document["methods"],
      let schema = methods.first(where: { $0["name"]?.string == method })?["result"]?["schema"]
    else { return "\(method) is not described" }
    return mistake(in: result, "the result", schema)
  }

  private static func mistake(in value: JSONValue, _ name: String, _ schema: JSONValue) -> String? {
    if let path = schema["$ref"]?.string {
      let form = String(path.split(separator: "/").last ?? "")
      guard let schema = OpenRPC.document["components"]?["schemas"]?[form] else { return "no schema \(form)" }
      return mistake(in: value, name, schema)
    }
    for key in ["anyOf", "allOf"] {
      guard case .array(let choices)? = schema[key] else { continue }
      let mistakes = choices.map { mistake(in: value, name, $0) }
      return mistakes.contains(nil) ? nil : mistakes.compactMap(\.self).joined(separator: "; or ")
    }
    if let constant = schema["const"] { return value == constant ? nil : "\(name) is not \(constant)" }
    if case .array(let words)? = schema["enum"] {
      return words.contains(value) ? nil : "\(name) is none of \(words): \(value)"
    }
    switch (schema["type"]?.string, value) {
    case ("string", .string), ("integer", .integer), ("number", .integer), ("number", .decimal),
      ("boolean", .boolean):
      return nil
    case ("array", .array(let elements)):
      let items = schema["items"] ?? [:]
      return elements.lazy.compactMap { mistake(in: $0, "an element of \(name)", items) }.first
    case ("object", .object(let members)): return mistake(in: members, value, schema)
    case (let type, _): return "\(name) is no \(type ?? "value")"
    }
  }

  private static func mistake(
    in members: [JSONValue.Member], _ value: JSONValue, _ schema: JSONValue
  ) -> String? {
    // The document itself is described by another standard.
    guard let properties = schema["properties"] else { return nil }
    if case .array(let required)? = schema["required"] {
      for name in required.compactMap(\.string) where value[name] == nil { return "\(name) is missing" }
    }
    for member in members {
      guard let property = properties[member.name] else { return "\(member.name) is not described" }
      if let mistake = mistake(in: member.value, member.name, property) { return mistake }
    }
    return nil
  }
}

extension RPCClient {
  /// Calls a method, and holds its result against the document.
  func result(
    _ method: String, _ params: JSONValue = [:], _ location: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let result = try await call(method, params)
    let mistake = ResultChecker.mistake(in: result, of: method)
    #expect(mistake == nil, "\(method): \(result)", sourceLocation: location)
    return result
  }
}
