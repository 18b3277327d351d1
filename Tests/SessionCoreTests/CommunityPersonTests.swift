import SessionCore
import Testing

/// The person behind the ids of an account on a community server.
@Suite struct CommunityPersonTests {
  // From sogs.md, made by another implementation. `try!`: a stored property cannot throw, and these are 64 hex digits.
  private let server = try! [UInt8](
    hex: "c3b3c6f32f0ab5a57f853cc4f30f5da7fda5624b0c77b3fb0829de562ada081d".utf8)
  private let person = "c0a17a5594f3708414f61a76517ddb02a97d07e715c4225188977990fc6283f0"

  @Test(arguments: [
    "0588672ccb97f40bb57238989226cf429b575ba355443f47bc76c5ab144a96c65b",
    "1598932d4bccbe595a8789d7eb1629cefc483a0eaddc7e20e8fe5c771efafd9af5",
    "1598932d4bccbe595a8789d7eb1629cefc483a0eaddc7e20e8fe5c771efafd9a75",
    "25c0a17a5594f3708414f61a76517ddb02a97d07e715c4225188977990fc6283f0",
    "00bac6e71efd7dfa4a83c98ed24f254ab2c267f9ccdb172a5280a0444ad24e89cc",
  ])
  func allIdsLeadToOnePerson(id: String) throws {
    #expect(try CommunityPerson(of: SessionID(parsing: id), on: server).key.hex == person)
  }

  @Test(arguments: [
    // The identity, a coordinate that is no point, a second spelling of another key.
    "01" + String(repeating: "00", count: 31), "02" + String(repeating: "00", count: 31),
    "ee" + String(repeating: "ff", count: 30) + "7f", String(repeating: "00", count: 32),
  ])
  func unsafeKeysAreRefused(key: String) throws {
    for prefix in ["00", "15", "25"] {
      let id = try SessionID(parsing: prefix + key)
      #expect(throws: SessionError.self) { try CommunityPerson(of: id, on: server) }
    }
    #expect(throws: SessionError.self) {
      try CommunityPerson(of: SessionID(parsing: "05" + String(repeating: "00", count: 32)), on: server)
    }
  }

  @Test func groupsAreNoPersons() throws {
    let id = try SessionID(parsing: "03" + person)
    let kind = #expect(throws: SessionError.self) { try CommunityPerson(of: id, on: server) }
    #expect(kind?.code == .idKind)
    let account = try SessionID(parsing: "25" + person)
    let size = #expect(throws: SessionError.self) { try CommunityPerson(of: account, on: [1]) }
    #expect(size?.code == .keySize)
  }
}
