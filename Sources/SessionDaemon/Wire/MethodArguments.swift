package import SessionBase

/// The parameters of a call.
package struct MethodArguments: Sendable {
  private let params: JSONValue

  /// Refuses members that are no parameters.
  package init(_ params: JSONValue, known: [String]) throws(RPCError) {
    self.params = params
    guard case .object(let members) = params else { return }
    for member in members where !known.contains(member.name) {
      let name = String(member.name.prefix(64))
      var error = RPCError(-32602, "invalid-params", "there is no parameter \"\(name)\"")
      error.details = [.init("member", .string(name))]
      if let nearest = nearestName(to: member.name, among: known) {
        error.details.append(.init("nearest", .string(nearest)))
      }
      throw error
    }
  }

  package subscript(name: String) -> JSONValue? { params[name] }

  package func text(_ name: String) throws(RPCError) -> String? {
    guard let value = params[name] else { return nil }
    guard let text = value.string else { throw .wrongParameter(name, "a text") }
    return text
  }

  package func requiredText(_ name: String) throws(RPCError) -> String {
    guard let text = try text(name) else { throw .wrongParameter(name, "given") }
    return text
  }

  /// A number within limits; nil if it is missing.
  package func number(_ name: String, _ range: ClosedRange<Int64>) throws(RPCError) -> Int64? {
    guard let value = params[name] else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw .wrongParameter(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func requiredNumber(_ name: String, _ range: ClosedRange<Int64>) throws(RPCError) -> Int64 {
    guard let number = try number(name, range) else { throw .wrongParameter(name, "given") }
    return number
  }

  package func boolean(_ name: String) throws(RPCError) -> Bool? {
    params[name] == nil ? nil : try requiredBoolean(name)
  }

  package func requiredBoolean(_ name: String) throws(RPCError) -> Bool {
    guard let isTrue = params[name]?.boolean else { throw .wrongParameter(name, "true or false") }
    return isTrue
  }
}

extension RPCError {
  package static func wrongParameter(_ name: String, _ expected: String) -> RPCError {
    var error = RPCError(-32602, "invalid-params", "\"\(name)\" must be \(expected)")
    error.details = [.init("member", .string(name))]
    return error
  }
}
