import SessionBase
import SessionMessaging

extension RPCAccess {
  /// A pipe with content that is read as fast as the client takes it, as long as the account is open. The clients of one
  /// socket have a limited number of them at a time. Throws `limit-reached` beyond that.
  func pipe<Content: AsyncSequence & Sendable>(
    _ content: Content, of messenger: Messenger
  ) throws -> PassedFile where Content.Element == [UInt8] {
    guard pipes.enter() else {
      var error = RPCError(71, "limit-reached", "\(RPCLimits.pipes) files are being read already")
      error.details = [.init("limit", .integer(Int64(RPCLimits.pipes)))]
      throw error
    }
    let (reading, writing): (PassedFile, PipeWriter)
    do throws(FileError) { (reading, writing) = try PipeWriter.open() } catch {
      pipes.leave()
      throw error
    }
    let announcements = messenger.eventAnnouncements()
    // The client may have ended its connection already, and still read.
    Task { [pipes] in
      await withTaskGroup { group in
        group.addTask { await Self.pass(content, to: writing) }
        group.addTask { for await _ in announcements {} }
        await group.next()
        group.cancelAll()
      }
      pipes.leave()
    }
    return reading
  }

  /// Returns when all of the content was written, the rest of it cannot be read, or its reader has left.
  private static func pass<Content: AsyncSequence & Sendable>(
    _ content: Content, to writing: PipeWriter
  ) async where Content.Element == [UInt8] {
    do {
      for try await piece in content {
        // A client that takes nothing for too long loses the pipe.
        let isWritten: Void? = try await withinTime(RPCLimits.writeTimeout) { try await writing.write(piece) }
        guard isWritten != nil else { return }
      }
    } catch {
      // The pipe ends before the content does.
    }
  }
}
