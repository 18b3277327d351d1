import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A person can cancel and retry the jobs of a messenger.
@Suite struct JobsTests {
  private func job(_ messenger: Messenger, of message: MessageView.ID) async throws -> JobRecord.ID? {
    try await messenger.jobs().jobs.first { $0.interaction?.rawValue == message.rawValue }?.id
  }

  @Test func aMessageThatFailedIsSentAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      let sent = try await alice.send("refused", to: bob.id)
      try await world.settle()
      let failed = try #require(try await job(alice, of: sent))
      world.swarms.decide { _, _ in .done }
      try await alice.retryJob(failed)
      try await world.settle()
      #expect(try await alice.message(sent)?.state == .sent)
      #expect(try await bob.bodies(in: alice.id).last == "refused")
      #expect(try await job(alice, of: sent) == nil)
    }
  }

  @Test func retryDoesNotResendASentMessage() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      let sent = try await alice.send("once", to: bob.id)
      try await world.settle()
      let failed = try #require(try await job(alice, of: sent))
      world.swarms.decide { _, _ in .done }
      try await alice.resend(sent)
      try await world.settle()
      try await alice.retryJob(failed)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "once" }.count == 1)
      #expect(try await job(alice, of: sent) == nil)
    }
  }

  @Test func aNoticeThatFailedIsSentAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      let sent = try await alice.send("soon gone", to: bob.id)
      try await world.settle()
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      try await alice.delete(sent, .forEveryone)
      try await world.settle()
      let failed = try await alice.jobs().jobs.filter { $0.state == .failed }
      #expect(failed.count == 1)
      #expect(try await bob.bodies(in: alice.id).contains("soon gone"))
      world.swarms.decide { _, _ in .done }
      for job in failed { try await alice.retryJob(job.id) }
      try await world.settle()
      #expect(try await !bob.bodies(in: alice.id).contains("soon gone"))
    }
  }

  @Test func aMessageThatIsTakenBackHasFailed() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.setReachable(false)
      let sent = try await alice.send("never mind", to: bob.id)
      let id = try #require(try await job(alice, of: sent))
      try await alice.cancelJob(id)
      #expect(try await alice.message(sent)?.state == .failed("it was cancelled"))
      world.swarms.setReachable(true)
      try await world.settle()
      #expect(try await !bob.bodies(in: alice.id).contains("never mind"))
      await #expect { try await alice.cancelJob(id) } throws: { MessengerError.Code.noJob ~= $0 }
      await #expect { try await alice.retryJob(id) } throws: { MessengerError.Code.noJob ~= $0 }
    }
  }

  @Test func requiredJobsCannotBeCancelled() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.setReachable(false)
      try await alice.setNickname("Bobby", of: bob.id)
      let sync = try #require(try await alice.jobs().jobs.first { $0.kind == "configSync" })
      await #expect {
        try await alice.cancelJob(sync.id)
      } throws: { error in
        MessengerError.Code.jobNotCancellable ~= error
          && "\(error)".contains("'configSync' cannot be cancelled")
      }
      for job in try await alice.jobs().jobs {
        await #expect { try await alice.cancelJob(job.id) } throws: {
          MessengerError.Code.jobNotCancellable ~= $0
        }
      }
      let desk = try await world.device(of: alice.context.account)
      world.swarms.setReachable(true)
      try await world.settle()
      #expect(try await desk.conversation(.person(bob.id))?.name == "Bobby")
    }
  }

  @Test func failedJobsCanBeCancelled() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      let sent = try await alice.send("refused", to: bob.id)
      try await world.settle()
      let before = try await alice.message(sent)
      try await alice.cancelJob(try #require(try await job(alice, of: sent)))
      #expect(try await job(alice, of: sent) == nil)
      #expect(try await alice.message(sent) == before)
    }
  }

  @Test func aFileThatCouldNotBeFetchedIsFetchedAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send("", attachments: [OutgoingFile(.bytes([1, 2, 3]), name: "list")], to: bob.id)
      try await world.settle()
      let message = try await bob.last(in: alice.id)
      let file = try #require(message.attachments.first)
      world.files.decide { _ in .refused(401) }
      try await bob.download(file.id)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .failed)
      let failed = try #require(try await job(bob, of: message.id))
      world.files.decide { _ in .done }
      try await bob.retryJob(failed)
      try await world.settle()
      #expect(try await bob.attachment(file.id)?.state == .ready)
      #expect(try await job(bob, of: message.id) == nil)
    }
  }
}
