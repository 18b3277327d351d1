internal import CSessionCore
import SessionCore

/// A parsed call to a node: one request, or several in one. Nothing in it is verified yet.
// Sendable without the compiler's check: its contents do not change between init and deinit.
public final class StorageCall: @unchecked Sendable {
  /// The encoding of the parameters, and of the reply.
  public enum Form: UInt32, Sendable, CaseIterable {
    case json
    case bt
  }

  /// The bytes that the parsed request refers to.
  private let body: UnsafeMutableBufferPointer<UInt8>
  private let parsed: UnsafeMutablePointer<sc_storage_parsed_request>

  /// Parses the parameters of a method.
  public convenience init(method: String, parameters: [UInt8]) throws(NodeRefusal) {
    try self.init(parameters, method: method) { parsed, body in
      Array(method.utf8).withUnsafeBufferPointer { sc_storage_request_parse(parsed, nil, sc_bytes($0), body) }
    }
  }

  /// Parses method and parameters from JSON.
  public convenience init(call: [UInt8]) throws(NodeRefusal) {
    try self.init(call, method: Self.method(in: call), isCall: true) { sc_storage_call_parse($0, nil, $1) }
  }

  /// The method of a call, for the text of a refusal; empty if there is none.
  private static func method(in call: [UInt8]) -> String {
    call.withUnsafeBufferPointer { call in
      var (document, name): (OpaquePointer?, sc_bytes) = (nil, sc_bytes())
      guard sc_json_parse(&document, sc_bytes(call), UInt32(SC_JSON_DEFAULT_DEPTH)) == SC_OK else {
        return ""
      }
      defer { sc_json_free(document) }
      return sc_json_member_string(&name, document, "method") == SC_OK ? String(name.string.prefix(100)) : ""
    }
  }

  private init(
    _ bytes: [UInt8], method: @autoclosure () -> String, isCall: Bool = false,
    _ parse: (UnsafeMutablePointer<sc_storage_parsed_request>, sc_bytes) -> sc_status
  ) throws(NodeRefusal) {
    body = .allocate(capacity: bytes.count)
    _ = body.initialize(from: bytes)
    parsed = .allocate(capacity: 1)
    parsed.initialize(to: sc_storage_parsed_request())
    let status = parse(parsed, sc_bytes(UnsafeBufferPointer(body)))
    guard status != SC_OK else { return }
    let requested = method()
    let named = status == SC_ERR_STORAGE_METHOD ? unknownMethod(in: isCall ? "" : requested) : nil
    throw NodeRefusal(status, method: named ?? requested)
  }

  /// The first unknown method in the body.
  private func unknownMethod(in method: String) -> String? {
    let name = try? Core.bytes { out in
      Array(method.utf8).withUnsafeBufferPointer {
        sc_storage_unknown_method(out, nil, sc_bytes($0), sc_bytes(UnsafeBufferPointer(body)))
      }
    }
    return name.map { String(String(decoding: $0, as: UTF8.self).prefix(100)) }
  }

  deinit {
    sc_storage_parsed_request_free(parsed)
    parsed.deallocate()
    body.deallocate()
  }

  public var form: Form { parsed.pointee.form == SC_STORAGE_BT ? .bt : .json }

  /// The request, or the batch, sequence or branch that contains others.
  public var request: StorageRequest {
    let start = UnsafeRawPointer(parsed).advanced(
      by: MemoryLayout.offset(of: \sc_storage_parsed_request.request) ?? 0)
    return StorageRequest(in: self, start.assumingMemoryBound(to: sc_storage_request.self))
  }
}

extension StorageCall.Form {
  var core: sc_storage_form { sc_storage_form(rawValue) }
}

/// A node's refusal: an HTTP status code, and a text.
public struct NodeRefusal: Error, Hashable, Sendable {
  public let code: Int
  public let text: String

  public init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  init(_ status: sc_status, method: String) {
    code = Int(sc_storage_refusal_code(status))
    let name = Array(method.utf8)
    let written = try? Core.bytes { out in
      name.withUnsafeBufferPointer { sc_storage_refusal_write(out, status, sc_bytes($0)) }
    }
    text = written.map { String(decoding: $0, as: UTF8.self) } ?? "request failed"
  }

  /// An unexpected internal failure.
  public static let failed = NodeRefusal(500, "request failed")
}
