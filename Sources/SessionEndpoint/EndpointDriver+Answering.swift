internal import CSessionCore
import SessionCore

extension EndpointDriver {
  /// Registers the handler of a command from peers.
  func handle(_ name: String) throws(SessionError) {
    try name.utf8.lend { (name) throws(SessionError) in
      try Core.call {
        sc_quic_handle(
          endpoint, name,
          { user, incoming in
            guard let incoming else { return }
            EndpointDriver.from(user).take(incoming.pointee)
          }, unowned)
      }
    }
  }

  private func take(_ incoming: sc_quic_incoming) {
    let name = String(decoding: incoming.name.content, as: UTF8.self)
    guard let handler = handlers[name], handling.count < Self.maxHandling else {
      return answer(
        incoming.request, .failure(NetworkRefusal(503, "Service Unavailable", details: "Try again later.")))
    }
    let request = NetworkEndpoint.Request(
      command: name, body: Array(incoming.body.content), peerKey: Self.key(incoming.peer_key),
      peerAddress: NetworkAddress(incoming.peer.pointee),
      connection: NetworkEndpoint.Connection(number: incoming.connection))
    let number = incoming.request
    let task = Task {
      let reply = await Self.reply(of: handler, to: request)
      // After the work queue has ended, no peer is left to reply to.
      try? enqueue { driver, _ in
        driver.handling[number] = nil
        driver.answer(number, reply)
      }
    }
    handling[number] = (incoming.connection, task)
  }

  /// Cancels the tasks whose connection is gone. They count until they have ended.
  func cancelAbandonedWork() {
    var info = sc_quic_connection_info()
    for work in handling.values
    where sc_quic_connection_inspect(&info, endpoint, work.connection) == SC_ERR_NOT_FOUND {
      work.task.cancel()
    }
  }

  private static func reply(
    of handler: NetworkEndpoint.Handler, to request: NetworkEndpoint.Request
  ) async -> Result<[UInt8], NetworkRefusal> {
    do {
      return .success(try await handler(request))
    } catch let refusal as NetworkRefusal {
      return .failure(refusal)
    } catch {
      // Internal errors are not disclosed to the peer.
      return .failure(NetworkRefusal(500, "Internal Server Error"))
    }
  }

  /// Sends a command without a reply over a connection that a peer opened; false if it is gone.
  func push(
    _ command: String, _ body: [UInt8], to connection: NetworkEndpoint.Connection, _ now: UInt64
  ) -> Bool {
    let name = Array(command.utf8)
    let status = name.withUnsafeBufferPointer { name in
      body.withUnsafeBufferPointer { body in
        var command = sc_quic_command()
        command.name = sc_bytes(name)
        command.body = sc_bytes(body)
        return sc_quic_send(nil, endpoint, now, connection.number, &command)
      }
    }
    return status != SC_ERR_NOT_FOUND
  }

  private func answer(_ request: sc_quic_request, _ reply: Result<[UInt8], NetworkRefusal>) {
    let status =
      switch reply {
      case .success(let body):
        body.withUnsafeBufferPointer { sc_quic_reply(endpoint, request, sc_bytes($0)) }
      case .failure(let refusal):
        refusal.body.withUnsafeBufferPointer { sc_quic_reply_error(endpoint, request, sc_bytes($0)) }
      }
    // A peer that does not read its replies gets no more. With any other status the request is gone.
    if status == SC_ERR_QUIC_BUSY || status == SC_ERR_NO_MEMORY {
      sc_quic_drop_request(endpoint, request)
    }
  }

  static func key(_ bytes: UnsafePointer<UInt8>?) -> [UInt8]? {
    bytes.map { Array(UnsafeBufferPointer(start: $0, count: Int(SC_KEY_BYTES))) }
  }

  /// The events of incoming connections that the core reports.
  var acceptedEvents: sc_quic_events {
    sc_quic_events(
      user: unowned,
      opened: { user, connection, key in
        EndpointDriver.from(user).accepted(connection, EndpointDriver.key(key))
      },
      closed: { user, connection, reason in EndpointDriver.from(user).left(connection, reason) },
      streams_known: nil)
  }

  private func accepted(_ connection: sc_quic_connection, _ key: [UInt8]?) {
    var info = sc_quic_connection_info()
    guard sc_quic_connection_inspect(&info, endpoint, connection) == SC_OK else { return }
    let address = NetworkAddress(info.peer)
    guests[connection] = (address, key)
    reporting.yield(.accepted(address, key: key))
  }

  private func left(_ connection: sc_quic_connection, _ reason: sc_status) {
    cancelAbandonedWork()
    guard let guest = guests.removeValue(forKey: connection) else { return }
    reporting.yield(.left(guest.address, key: guest.key, reason: SessionError.Code(reason)))
  }
}
