import Foundation
import Testing

@testable import SessionCLI

@Suite struct ProtobufSchemaTests {
  /// `Message.field = number`, for every field of the core's own schema.
  private static func fieldsOfTheCore() throws -> Set<String> {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let source = try String(
      contentsOf: root.appending(path: "CSessionCore/src/message/session.proto"), encoding: .utf8)
    var message: [String] = []
    var fields: Set<String> = []
    for line in source.split(separator: "\n") {
      let words = line.prefix { $0 != ";" }.split(separator: " ").map(String.init)
      switch words.first {
      case "message", "enum":
        if !line.hasSuffix("}") { message.append(words[1]) }
      case "}": message.removeLast()
      case "optional", "required", "repeated":
        fields.insert("\(message.last ?? "").\(words[2]) = \(words[4])")
      default: break
      }
    }
    return fields
  }

  private static func fields(of schema: ProtobufSchema) -> Set<String> {
    var fields: Set<String> = []
    for (number, field) in schema.all {
      fields.insert("\(schema.name).\(field.name) = \(number)")
      if case .message(let inner) = field.type { fields.formUnion(Self.fields(of: inner)) }
    }
    return fields
  }

  @Test func theNamesAreThoseOfTheCore() throws {
    let shown = [ProtobufSchema.webSocketMessage, .envelope, .content].map(Self.fields)
    let known = try Self.fieldsOfTheCore().filter { !$0.hasPrefix("WebSocketResponse") }
    #expect(known.count > 80)
    #expect(shown.reduce(into: Set()) { $0.formUnion($1) } == known)
  }
}
