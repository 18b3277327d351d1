import SessionCore
import Testing

@Suite struct BlindedIdentityTests {
  private let server: [UInt8]

  init() throws { server = try [UInt8](hex: Example.server.utf8) }

  private func identity(
    _ account: Account, _ scheme: BlindedIdentity.Scheme
  ) throws -> BlindedIdentity {
    try BlindedIdentity(of: account, on: server, scheme: scheme)
  }

  @Test(arguments: [
    (
      BlindedIdentity.Scheme.blinded15,
      "155678ab7f648665b1e90e3c19e56bbaa9d5890f367d1000101aebe265c46ae8c4"
    ),
    (.blinded25, "258ce2ed7e357093056e9c4a72a1cba4718647134f2c23b76dedcc9c79b7a1f53a"),
  ])
  func theIDsAreThoseOfTheSpecification(scheme: BlindedIdentity.Scheme, id: String) throws {
    #expect(try identity(Example.first(), scheme).id.description == id)
  }

  @Test(arguments: BlindedIdentity.Scheme.allCases)
  func anybodyVerifiesItsSignatures(scheme: BlindedIdentity.Scheme) throws {
    let identity = try identity(Example.first(), scheme)
    let signature = try identity.sign("hello".utf8)
    try Signature.verify(signature, of: "hello".utf8, by: identity.id.key)
  }

  @Test(arguments: BlindedIdentity.Scheme.allCases)
  func theInboxProvesTheAccountBehindTheSender(scheme: BlindedIdentity.Scheme) throws {
    let alice = try identity(Example.first(), scheme)
    let bob = try identity(Example.second(), scheme)
    let sealed = try alice.seal("hello".utf8, for: bob.id)
    for reader in [bob, alice] {
      let opened = try reader.open(sealed, from: alice.id, to: bob.id)
      #expect(opened.content == Array("hello".utf8))
      #expect(opened.sender.description == Example.firstID)
    }
    #expect(throws: SessionError.self) { try bob.open(sealed, from: bob.id, to: alice.id) }
  }

  @Test(arguments: BlindedIdentity.Scheme.allCases)
  func anIDMatchesTheBlindedIDsOfItsAccountAlone(scheme: BlindedIdentity.Scheme) throws {
    let blinded = try identity(Example.first(), scheme).id
    #expect(try Example.first().id.blinded(on: server).contains(blinded))
    #expect(try !Example.second().id.blinded(on: server).contains(blinded))
  }

  @Test func anybodyComputesTheAccountBehindAnIDOfTheFirstGeneration() throws {
    let alice = try identity(Example.first(), .blinded15)
    #expect(try alice.id.account(on: server) == Example.first().id)
    #expect {
      try identity(Example.first(), .blinded25).id.account(on: server)
    } throws: { SessionError.Code.idKind ~= $0 }
    for byte: UInt8 in [0, 255] {
      let none = try SessionID(.blinded15, key: [UInt8](repeating: byte, count: 32))
      #expect { try none.account(on: server) } throws: { SessionError.Code.idBlind ~= $0 }
    }
  }

  @Test func kindsDoNotMix() throws {
    let alice = try identity(Example.first(), .blinded15)
    let bob = try identity(Example.second(), .blinded25)
    #expect { try alice.seal([1], for: bob.id) } throws: { SessionError.Code.idKind ~= $0 }
    #expect { try BlindedIdentity(of: Example.first(), on: [1], scheme: .blinded15) } throws: {
      SessionError.Code.keySize ~= $0
    }
  }
}
