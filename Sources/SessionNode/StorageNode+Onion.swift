import SessionCore
import SessionEndpoint
import SessionNodeCore

extension StorageNode {
  func answerOnionOfClient(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    do throws(NodeRefusal) { try admit(request.peerAddress, key: request.peerKey) } catch {
      return try StorageBody(text: error.text).overQUIC(code: error.code)
    }
    do throws(OnionRefusal) {
      return try await peel(request.body, from: .client)
    } catch {
      guard error.code != 200 else { return error.body }
      return try StorageBody(error.body, .plain).overQUIC(code: error.code)
    }
  }

  func answerOnionOfNode(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    try requireNode(request)
    do throws(OnionRefusal) {
      return MessageParts.answer(200, try await peel(request.body, from: .node))
    } catch {
      return MessageParts.answer(error.code, error.body)
    }
  }

  /// Accepts only nodes of the list.
  func requireNode(_ request: NetworkEndpoint.Request) throws(NetworkRefusal) {
    guard let key = request.peerKey, membership?.node(key) != nil else {
      throw NetworkRefusal(403, "Forbidden", details: "not a node of this network")
    }
  }

  func peel(_ bytes: [UInt8], from sender: OnionBlock.Sender) async throws(OnionRefusal) -> [UInt8] {
    let block = try OnionBlock(bytes, from: sender, keys: keys)
    guard let membership, unreadinessToRelay == nil else {
      if sender == .node { throw OnionRefusal(.nodeNotReady, node: keys.publicKey) }
      throw OnionRefusal(.notReady(unreadinessToRelay ?? "not done syncing"))
    }
    let layer = try block.open(by: keys)
    switch layer.role {
    case .final(let call):
      metrics.count(.final)
      return try await answerFinal(call, in: block, layer)
    case .relay(let key, let next):
      metrics.count(.relay)
      return try await relay(next, to: key, membership)
    case .proxy(let target, let body):
      metrics.count(.proxy)
      return try await proxy(body, to: target, in: block)
    }
  }

  private func answerFinal(
    _ bytes: [UInt8], in block: OnionBlock, _ layer: OnionLayer
  ) async throws(OnionRefusal) -> [UInt8] {
    do throws(NodeRefusal) {
      let call = try StorageCall(call: bytes)
      let result = await answer(call)
      metrics.count(call.request.method, over: .onion, code: result.code)
      return try seal(try write(result, to: call), code: result.code, in: block, layer)
    } catch {
      do throws(NodeRefusal) {
        return try seal(StorageBody(text: error.text), code: error.code, in: block, layer)
      } catch {
        throw OnionRefusal(code: error.code, body: Array(error.text.utf8))
      }
    }
  }

  private func seal(
    _ body: StorageBody, code: Int, in block: OnionBlock, _ layer: OnionLayer
  ) throws(NodeRefusal) -> [UInt8] {
    do throws(SessionError) {
      return try block.seal(body, code: code, for: layer, keys: keys)
    } catch {
      throw .failed
    }
  }

  private func relay(
    _ bytes: [UInt8], to key: [UInt8], _ membership: Membership
  ) async throws(OnionRefusal) -> [UInt8] {
    guard let next = membership.node(key), key != keys.publicKey else {
      throw OnionRefusal(.nextUnknown, node: key)
    }
    let reply: [UInt8]
    do throws(PeerFailure) {
      reply = try await call(next, NodeCommand.onion, bytes, timeout: options.hopTimeout)
    } catch {
      throw switch error {
      case .timeout: OnionRefusal(.timeout)
      case .refused: OnionRefusal(.badResponse)
      case .unreachable: OnionRefusal(.nextUnreachable, node: key)
      }
    }
    guard let (code, body) = MessageParts.readAnswer(reply) else { throw OnionRefusal(.badResponse) }
    guard code == 200 else { throw OnionRefusal(code: code, body: body) }
    return body
  }

  private func proxy(
    _ body: [UInt8], to target: OnionTarget, in block: OnionBlock
  ) async throws(OnionRefusal) -> [UInt8] {
    guard let gateway = options.gateway else { throw block.refuseTarget(by: keys) }
    let (code, reply): (Int, [UInt8])
    do throws(ServerFailure) {
      (code, reply) = try await gateway.post(body, to: target)
    } catch {
      throw switch error {
      case .forbidden: block.refuseTarget(by: keys)
      case .unreachable(let why): OnionRefusal(code: 502, body: Array(why.utf8))
      case .timeout: OnionRefusal(code: 504, body: Array("the server took too long".utf8))
      }
    }
    guard code == 200 else {
      // Reply with a valid status even if the server's is not.
      throw (100...599).contains(code)
        ? OnionRefusal(code: code, body: reply)
        : OnionRefusal(code: 502, body: Array("the server answered with an unknown status".utf8))
    }
    return reply
  }
}
