import FoundationEssentials
import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

// The methods between programs of this project; none of them is public.

extension RPCMethod {
  static let messenger = [
    RPCMethod("x.call", needs: .admin) { call in
      try call.requireOurs()
      let messenger = try await call.messenger()
      guard let params = call.params["call"] else { throw RPCError.invalidParams("\"call\" is missing") }
      let asked: MessengerCall
      do {
        asked = try JSONDecoder().decode(MessengerCall.self, from: Data(params.description.utf8))
          .receiving(call.files)
      } catch let error as RPCError {
        throw error
      } catch {
        throw RPCError.invalidParams("\"call\" has another form")
      }
      if asked.waits, let id = call.id {
        call.connection.noteWaiting(id)
        call.work.end()
      }
      do {
        return try InternalJSON.text(of: try await messenger.perform(asked))
      } catch {
        throw RPCError(crossing: error)
      }
    },
    RPCMethod("x.release", needs: .admin) { call in
      guard let process = call.connection.peer?.process else {
        throw RPCError(77, "permission", "the system does not report the process of this connection")
      }
      try await call.connection.accounts.release(to: process)
      return "{}"
    },
    RPCMethod("x.park", needs: .admin) { call in
      try call.requireOurs()
      let (accounts, name) = (call.connection.accounts, try await call.account())
      try await accounts.park(name)
      call.connection.doMeanwhile {
        await Latch().wait()
        await accounts.unpark(name)
      }
      return "{}"
    },
    RPCMethod("account.unlock", needs: .admin, takes: ["name", "passphrase"]) { call in
      guard let name = call.params["name"]?.string else {
        throw RPCError.invalidParams("\"name\" is missing")
      }
      var passphrase = try call.secret("passphrase")
      if passphrase == nil, !call.files.isEmpty { passphrase = try call.secret(inFile: 0, "passphrase") }
      return try await call.unlock(name, passphrase.map { .passphrase($0) })
    },
    // A caller with the key of the database could open the account anyway.
    RPCMethod("x.unlock", needs: .admin) { call in
      guard let name = call.params["name"]?.string else {
        throw RPCError.invalidParams("\"name\" is missing")
      }
      return try await call.unlock(name, .key(try call.key(inFile: 0, "key")))
    },
    RPCMethod("x.news", needs: .admin) { call in
      try call.requireOurs()
      let (messenger, connection) = (try await call.messenger(), call.connection)
      let news = messenger.news()
      connection.doMeanwhile {
        await messenger.awaitingEvents {
          for await news in news {
            guard let text = try? InternalJSON.text(of: news),
              (try? await connection.tell("x.news", text)) != nil
            else { return }
          }
        }
      }
      return "{}"
    },
  ]
}

extension RPCCall {
  fileprivate func unlock(_ name: String, _ secret: KeySecret?) async throws -> String {
    do {
      try await connection.accounts.unlock(name, secret)
    } catch let error as StorageError {
      throw RPCError(unlocking: error)
    }
    return "{\"done\":true}"
  }

  fileprivate func requireOurs() throws(RPCError) {
    guard connection.isOurs else {
      throw RPCError(
        75, "version", "this method is for programs of one version: it differs, or 'hello' is missing")
    }
  }
}

/// JSON as programs of one version exchange it.
enum InternalJSON {
  static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
