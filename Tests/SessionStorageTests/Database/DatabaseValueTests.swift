import Testing

@testable import SessionStorage

@Suite struct DatabaseValueTests {
  private enum Colour: Int, DatabaseValue {
    case red = 1
  }

  private func echo<V: DatabaseValue>(_ value: V) throws -> V? {
    let statements = Statements(try SQLCipherConnection.openInMemory())
    return try ReadTransaction(statements: statements).value("SELECT ?", value)
  }

  @Test func valuesComeBackAsTheyWere() throws {
    #expect(try echo(Int64.min) == .min)
    #expect(try echo(Int.max) == .max)
    #expect(try echo(1.5) == 1.5)
    #expect(try echo(true) == true)
    #expect(try echo("") == "")
    #expect(try echo("a\0b😀") == "a\0b😀")
    #expect(try echo([] as [UInt8]) == [])
    #expect(try echo([0, 255] as [UInt8]) == [0, 255])
    #expect(try echo(nil as String?) == .some(nil))
    #expect(try echo("x" as String?) == "x")
    #expect(try echo(Colour.red) == .red)
    #expect(try echo(RowID<Colour>(rawValue: 5)) == RowID(rawValue: 5))
  }

  @Test func unreadableValuesAreReported() throws {
    let statements = Statements(try SQLCipherConnection.openInMemory())
    expectFailure(.value) { _ = try ReadTransaction(statements: statements).value("SELECT 7") as Colour? }
    expectFailure(.value) { _ = try ReadTransaction(statements: statements).value("SELECT NULL") as Int? }
    expectFailure(.value) { _ = try ReadTransaction(statements: statements).value("SELECT 'one'") as Int? }
    expectFailure(.value) { _ = try ReadTransaction(statements: statements).value("SELECT 1") as String? }
    expectFailure(.value) { _ = try ReadTransaction(statements: statements).value("SELECT 1") as [UInt8]? }
    expectFailure(.value) { _ = try ReadTransaction(statements: statements).value("SELECT x'01'") as Double? }
  }
}
