import Foundation
import Testing

@testable import SessionCLI

/// Holds what a command wrote against the forms that the manual describes for it.
func expectForm(
  of object: [String: Any], writtenBy words: [String], _ location: SourceLocation = #_sourceLocation
) throws {
  let command = try #require(CommandTable.session.command(calledBy: words), sourceLocation: location)
  let forms = JSONForm.forms(of: command.name)
  #expect(object["v"] as? Int == 1, sourceLocation: location)
  let mistakes = forms.map { "\($0.name): \($0.mistake(in: object) ?? "")" }
  let fits = forms.contains { $0.mistake(in: object) == nil }
  #expect(fits, "\(command.name): \(mistakes)", sourceLocation: location)
}

extension JSONForm {
  /// Returns the mistake in an object; nil if it has none.
  func mistake(in object: [String: Any]) -> String? {
    let known = Set(members.map(\.name) + ["v"])
    if let unknown = object.keys.first(where: { !known.contains($0) }) {
      return "\(unknown) is not described"
    }
    for member in members {
      guard let value = object[member.name] else {
        guard member.isOptional else { return "\(member.name) is missing" }
        continue
      }
      guard member.value.fits(value) else {
        return "\(member.name) is no \(member.value.description): \(value)"
      }
    }
    return nil
  }
}

extension JSONForm.Value {
  fileprivate func fits(_ value: Any) -> Bool {
    let number = value as? NSNumber
    let isBoolean = number.map { String(cString: $0.objCType) == "c" } ?? false
    return switch self {
    case .text: value is String
    case .number: number != nil && !isBoolean
    // A time in seconds, or in microseconds, would be none of this century.
    case .time: (946_684_800_000...9_000_000_000_000).contains(number?.int64Value ?? 0)
    case .boolean: isBoolean
    case .word(let words): (value as? String).map(words.contains) ?? false
    case .object(let form): Self.fits(value, form)
    case .texts: value is [String]
    case .objects(let form): (value as? [Any])?.allSatisfy { Self.fits($0, form) } ?? false
    }
  }

  private static func fits(_ value: Any, _ form: String) -> Bool {
    guard let object = value as? [String: Any] else { return false }
    return JSONForm.named(form)?.mistake(in: object) == nil
  }
}

/// Reads the lines of JSON that a command wrote, and holds each against its forms.
func expectForms(
  inLines text: String, writtenBy words: [String], _ location: SourceLocation = #_sourceLocation
) throws -> [[String: Any]] {
  try text.split(separator: "\n").map { line in
    #expect(line.hasPrefix(#"{"v":1,"#), sourceLocation: location)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], sourceLocation: location)
    try expectForm(of: object, writtenBy: words, location)
    return object
  }
}

@Suite struct JSONFormTests {
  private let example = JSONForm(
    name: "example", summary: "an example",
    members: [
      .type("example"), .required("count", .number, "how many"), .optional("is", .boolean, "whether"),
      .optional("at", .time, "when"), .optional("inner", .object("timer"), "inside"),
    ])

  @Test(
    arguments: [
      (#"{"v":1,"type":"example","count":1}"#, nil),
      (#"{"type":"example","count":0,"is":true,"inner":{"mode":"after-read","seconds":1}}"#, nil),
      (#"{"type":"example"}"#, "count is missing"),
      (#"{"type":"other","count":1}"#, #"type is no "example": other"#),
      (#"{"type":"example","count":"1"}"#, "count is no number: 1"),
      (#"{"type":"example","count":true}"#, "count is no number: 1"),
      (#"{"type":"example","count":1,"is":1}"#, "is is no true or false: 1"),
      (#"{"type":"example","count":1,"at":1700000000}"#, "at is no milliseconds since 1970: 1700000000"),
      (#"{"type":"example","count":1,"more":1}"#, "more is not described"),
    ] as [(String, String?)])
  func anObjectIsHeldAgainstItsForm(text: String, mistake: String?) throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(example.mistake(in: object) == mistake)
  }

  @Test func eachCommandWritesJSONButThoseThatHaveNone() {
    let others = CommandTable.session.commands.filter { command in
      !command.options.contains { $0.name == "json" }
    }
    #expect(Set(others.map(\.name)) == Command.withoutJSON)
  }

  @Test func theOutputOfEachCommandIsDescribed() {
    let commands = CommandTable.session.commands.filter { $0.options.contains { $0.name == "json" } }
    #expect(commands.map(\.name).filter { JSONForm.forms(of: $0).isEmpty } == [])
  }

  @Test func namesAreWrittenWithUnderscores() {
    for member in JSONForm.all.flatMap(\.members) {
      #expect(member.name.allSatisfy { "a"..."z" ~= $0 || $0 == "_" }, "\(member.name)")
    }
  }

  @Test func formsNameCommandsAndFormsThatAre() {
    let commands = CommandTable.session.commands.filter { $0.options.contains { $0.name == "json" } }.map(
      \.name)
    #expect(Set(JSONForm.all.flatMap(\.commands)).isSubset(of: commands))
    #expect(Set(JSONForm.all.map(\.name)).count == JSONForm.all.count)
    for case .object(let form) in JSONForm.all.flatMap({ $0.members.map(\.value) }) {
      #expect(JSONForm.named(form) != nil)
    }
    for case .objects(let form) in JSONForm.all.flatMap({ $0.members.map(\.value) }) {
      #expect(JSONForm.named(form) != nil)
    }
  }

  @Test func theManualDescribesEachMember() throws {
    let page = try #require(Manual(table: .session).page(named: "session-json"))
    #expect(page.hasPrefix(".TH \"SESSION\\-JSON\" 5 "))
    for form in JSONForm.all {
      #expect(page.contains(".SH \"\(form.name.uppercased())\"\n"))
      for member in form.members { #expect(page.contains("\\fB\(member.name)\\fR\n")) }
    }
  }
}
