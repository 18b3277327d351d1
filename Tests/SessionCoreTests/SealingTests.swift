import SessionCore
import Testing

@Suite struct SealingTests {
  @Test func theMessageOfTheSpecificationIsOpened() throws {
    let sealed = """
      208f96785db92319bc7a14afecc01e17bde912d17bbb32834c03ea63b1862c2a1b730e0725ef75b2f1a276db584c59a0ed9b54\
      97bcb9f4effa893b5cb8b04dbe7a6ab457ebf972f03b006dd4572980a725399616d40184b86aa3b7b218bdc6dd7c1adccda8ef\
      4897f0f458492240b39079c27a6c791067ab26a03067a7602b50f0434639906f93e548f909d5286edde365ebddc146
      """
    let opened = try Example.second().open([UInt8](hex: sealed.utf8))
    #expect(opened.content == Array("hello".utf8) && opened.sender.description == Example.firstID)
  }

  @Test(arguments: [0, 1, 100_000])
  func aMessageArrivesWithItsSender(size: Int) throws {
    let message = [UInt8](repeating: 7, count: size)
    let sealed = try Example.first().seal(message, for: Example.second().id)
    let opened = try Example.second().open(sealed)
    #expect(opened.content == message)
    #expect(opened.sender.description == Example.firstID)
    #expect(opened.senderEd25519PublicKey == (try Example.first().ed25519PublicKey))
  }

  @Test func anyCollectionOfBytesIsTaken() throws {
    let message = (0..<10).lazy.map { UInt8($0) }
    let sealed = try Example.first().seal(message, for: Example.second().id)
    #expect(try Example.second().open(ContiguousArray(sealed)).content == Array(message))
  }

  @Test func onlyTheRecipientCanOpenIt() throws {
    let sealed = try Example.first().seal("hello".utf8, for: Example.second().id)
    #expect { try Example.first().open(sealed) } throws: { SessionError.Code.decrypt ~= $0 }
    #expect { try Example.second().open(sealed.dropLast()) } throws: { SessionError.Code.decrypt ~= $0 }
    #expect { try Example.second().open([]) } throws: { SessionError.Code.truncated ~= $0 }
  }

  @Test func aChangedBitIsNoticed() throws {
    var sealed = try Example.first().seal("hello".utf8, for: Example.second().id)
    sealed[40] ^= 1
    #expect { try Example.second().open(sealed) } throws: { SessionError.Code.decrypt ~= $0 }
  }

  @Test func onlyAccountIDsReceive() throws {
    let group = try SessionID(.group, key: [UInt8](repeating: 1, count: 32))
    let error = try #require(throws: SessionError.self) { try Example.first().seal([1], for: group) }
    #expect(error.code == .idKind)
    #expect(error.message == "an id that begins with 05 is needed; this one begins with 03 (group id)")
  }
}
