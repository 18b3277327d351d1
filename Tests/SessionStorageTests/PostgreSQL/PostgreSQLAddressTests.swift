import Testing

@testable import SessionStorage

@Suite struct PostgreSQLAddressTests {
  @Test func addressesMayNameAFileOfPasswords() throws {
    let text = "postgresql://session@db.example:5433/chat?passfile=/etc/session/pgpass&sslmode=verify-full"
    #expect(try PostgreSQLAddress(text).text == text)
    #expect(PostgreSQLAddress.isAddress("postgres:///chat"))
  }

  @Test(arguments: [
    "postgresql://session:hunter2@db.example/chat", "postgresql://db.example/chat?password=hunter2",
  ])
  func passwordsInAddressesAreRefusedAndNotRepeated(_ text: String) {
    let error = #expect(throws: StorageError.self) { try PostgreSQLAddress(text) }
    #expect(error?.code == .value)
    #expect(error?.message.contains("hunter2") == false)
    #expect(error?.message.contains("PGPASSFILE") == true)
  }

  @Test(arguments: ["", "chat", "mysql://db/chat", "host=db dbname=chat", "postgresql://db/chat?nonsense=1"])
  func otherAddressesAreRefused(_ text: String) {
    let error = #expect(throws: StorageError.self) { try PostgreSQLAddress(text) }
    #expect(error?.code == .value)
  }
}
