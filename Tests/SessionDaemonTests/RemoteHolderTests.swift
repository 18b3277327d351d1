import Folders
import Foundation
import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionDaemon

/// An account that one program holds and another one uses.
@Suite(.timeLimit(.minutes(5))) struct RemoteHolderTests {
  private let folder: TemporaryFolder
  private let account: AccountFolder

  init() throws {
    folder = try TemporaryFolder()
    account = try AccountFolder("alice", in: StorageRoots(inside: folder.path("roots")))
  }

  private let environment = MessengerEnvironment(swarms: UnreachableSwarms())

  private func held() async throws -> (Messenger, RPCServer) {
    let messenger = try await Messenger.create(.generate(), name: "Alice", in: account, environment)
    let server = try RPCServer(
      at: folder.path("socket"), OneAccount("alice", messenger), dataRoot: account.data, version: "1")
    return (messenger, server)
  }

  private func reach(_ name: String = "alice", dataRoot: String? = nil) async throws -> RemoteHolder {
    try await RemoteHolder(
      of: name, at: folder.path("socket"), dataRoot: dataRoot ?? account.data, version: "1")
  }

  @Test func changesAreMadeByTheHolderAndReadByAll() async throws {
    let (holder, server) = try await held()
    let guest = try await Messenger.open(account, heldBy: reach(), environment)
    let id = try await guest.send("Hello", to: guest.id)
    #expect(try await holder.message(id)?.body == "Hello")
    #expect(try await guest.message(id)?.body == "Hello")
    try await guest.setDraft("unsent", in: .person(guest.id))
    #expect(try await holder.conversation(.person(guest.id))?.draft == "unsent")
    await guest.stop()
    // The holder goes on.
    try await holder.setName("Alicia")
    #expect(try await holder.name() == "Alicia")
    await server.stop()
    await holder.stop()
  }

  @Test func theSameErrorsAreThrown() async throws {
    let (holder, server) = try await held()
    let guest = try await Messenger.open(account, heldBy: reach(), environment)
    let unknown = MessageView.ID(rawValue: 99)
    await #expect { try await guest.delete(unknown) } throws: { error in
      (error as? MessengerError)?.code == .noMessage
    }
    await #expect { try await guest.setName(String(repeating: "a", count: 500)) } throws: { error in
      error is SessionError
    }
    await #expect { try await guest.acknowledge(.init(rawValue: .max), by: "bot") } throws: { error in
      (error as? MessengerError)?.code == .unknownCursor
    }
    await guest.stop()
    await server.stop()
    await holder.stop()
  }

  @Test func eventsOfTheHolderReachTheOthers() async throws {
    let (holder, server) = try await held()
    let guest = try await Messenger.open(account, heldBy: reach(), environment)
    var events = guest.events(from: try await guest.lastEvent()).makeAsyncIterator()
    let id = try await holder.send("Hello", to: holder.id)
    while let event = try await events.next() {
      if event.message == id { break }
    }
    await guest.stop()
    await server.stop()
    await holder.stop()
  }

  @Test func contentsOfFilesArePassedAsDescriptors() async throws {
    let (holder, server) = try await held()
    let remote = try await reach()
    let large = [UInt8](repeating: 7, count: 3_000_000)
    let call = MessengerCall.group(.setPicture(.bytes(large), of: .person(holder.id)))
    let (passed, files) = try call.passingFiles()
    #expect(files.count == 1)
    guard case .group(.setPicture(.path(let path)?, _)) = try passed.receiving(files) else {
      Issue.record("no path")
      return
    }
    #expect(try OpenFile(reading: path).readAll(upTo: 4_000_000) == large)
    withExtendedLifetime(files) {}
    #expect(throws: RPCError.self) { try passed.receiving([]) }
    await #expect { try await remote.perform(call) } throws: {
      ($0 as? MessengerError)?.code == .invalidRecipient
    }
    await remote.close()
    await server.stop()
    await holder.stop()
  }

  @Test func holdersOfOtherAccountsOrFoldersAreRefused() async throws {
    let (holder, server) = try await held()
    await #expect(throws: RemoteHolder.Refusal.otherAccount) { try await reach("bob") }
    await #expect(throws: RemoteHolder.Refusal.foreign) { try await reach(dataRoot: "/") }
    await server.stop()
    await #expect(throws: RemoteHolder.Refusal.gone) { try await reach() }
    await holder.stop()
  }

  @Test func aHolderThatGoesEndsCallsAndSaysWhetherTheyMayBeRepeated() async throws {
    let (holder, server) = try await held()
    let remote = try await reach()
    await server.stop()
    await remote.waitUntilGone()
    await #expect(throws: HolderGone.self) { try await remote.perform(.account(.poll)) }
    #expect(!remote.hasLostCall)
    await #expect(throws: HolderGone.self) {
      try await remote.perform(.group(.create(GroupDetails(name: "Trip"), members: [], picture: nil)))
    }
    // It was never sent.
    #expect(!remote.hasLostCall)
    await holder.stop()
  }

  @Test func socketsBelongToTheirOwnerAndLongPathsWork() async throws {
    let long = folder.path(String(repeating: "a", count: 150))
    try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
    let listener = try SocketListener(at: long + "/socket")
    let attributes = try FileManager.default.attributesOfItem(atPath: long + "/socket")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let client = try StreamSocket.connect(to: long + "/socket")
    let accepted = await listener.next()
    #expect(accepted?.peer?.user == geteuid())
    try await client.write(Array("hi".utf8))
    #expect(try await accepted?.read()?.bytes == Array("hi".utf8))
  }
}
