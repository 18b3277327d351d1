import CSessionCore
import SessionCore
import Testing

@Suite struct SessionErrorTests {
  @Test func aCodeIsTheNumberOfTheCore() {
    #expect(SessionError.Code.fileTooLarge.rawValue == SC_ERR_FILE_TOO_LARGE.rawValue)
    #expect(SessionError.Code.noMemory.rawValue == SC_ERR_NO_MEMORY.rawValue)
  }

  @Test func codesAndFamiliesMatchAsPatterns() throws {
    do {
      _ = try SessionID(parsing: "05")
      Issue.record("two digits are no id")
    } catch SessionError.Code.idHex {
      Issue.record("the digits are fine")
    } catch SessionError.Family.id {
      // As it should be.
    }
  }

  @Test(arguments: [
    (SessionError.Code.noMemory, SessionError.Family.environment), (.hex, .encoding),
    (.jsonSyntax, .encoding), (.compression, .encoding), (.keyInvalid, .key), (.seed, .key),
    (.idBlind, .id), (.phraseLength, .phrase), (.noKey, .message), (.cipher, .name),
    (.fileDamaged, .attachment), (.fileExists, .fileSystem), (.readerGone, .fileSystem),
    (.messageLength, .message),
    (.configAuthor, .config), (.configNone, .config), (.configOwnID, .config),
    (.communityURL, .encoding), (.communityWithoutKey, .encoding),
    (.groupKeys, .config), (.subaccountRights, .config),
  ])
  func eachCodeBelongsToItsFamily(code: SessionError.Code, family: SessionError.Family) {
    #expect(code.family == family)
  }
}
