package import CSessionCore

/// Memory for values lent to the core. All of it is wiped and freed with the arena.
///
/// Pointers into it must not outlive it.
package final class CoreArena {
  package init() {}

  private var blocks: [UnsafeMutableRawBufferPointer] = []

  /// Lends an arena that lives until `body` has returned.
  package static func lend<R, E: Error>(_ body: (CoreArena) throws(E) -> R) throws(E) -> R {
    let arena = CoreArena()
    defer { withExtendedLifetime(arena) {} }
    return try body(arena)
  }

  deinit {
    for block in blocks {
      sc_wipe(block.baseAddress, block.count)
      block.deallocate()
    }
  }

  /// Copies bytes into the arena.
  package func bytes(_ bytes: some Collection<UInt8>) -> sc_bytes {
    let copy = take(UInt8.self, count: bytes.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: bytes.count).update(fromContentsOf: bytes)
    return sc_bytes(ptr: copy, len: bytes.count)
  }

  /// Copies a secret into the arena; empty if nil.
  package func bytes(_ secret: SecretBytes?) -> sc_bytes {
    secret?.withCore { bytes($0.content) } ?? sc_bytes()
  }

  /// Copies a text into the arena; empty if nil.
  package func text(_ text: String?) -> sc_bytes { text.map { bytes($0.utf8) } ?? sc_bytes() }

  /// Copies an array of plain C values into the arena; nil if empty.
  package func list<Element>(_ elements: [Element]) -> UnsafePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    let copy = take(Element.self, count: elements.count)
    copy.initialize(from: elements, count: elements.count)
    return UnsafePointer(copy)
  }

  package func value<Value>(_ value: Value) -> UnsafePointer<Value> {
    guard let copy = list([value]) else { preconditionFailure("a list of one is not empty") }
    return copy
  }

  /// Copies bytes as a list of fixed-size C byte arrays; nil if empty.
  package func array<Element>(of bytes: [UInt8]) -> UnsafePointer<Element>? {
    let count = bytes.count / MemoryLayout<Element>.stride
    return UnsafeRawPointer(list(bytes))?.bindMemory(to: Element.self, capacity: count)
  }

  private func take<Value>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, MemoryLayout<Value>.stride * count), alignment: MemoryLayout<Value>.alignment)
    block.initializeMemory(as: UInt8.self, repeating: 0)
    blocks.append(block)
    guard let start = block.bindMemory(to: Value.self).baseAddress else {
      preconditionFailure("memory without an address")
    }
    return start
  }
}

/// A value with a C form, whose texts and lists are in an arena.
protocol CoreValue {
  associatedtype CoreForm
  func core(in arena: CoreArena) -> CoreForm
}

extension CoreValue {
  func withCore<R>(_ body: (UnsafePointer<CoreForm>) throws(SessionError) -> R) throws(SessionError) -> R {
    try CoreArena.lend { (arena) throws(SessionError) in try body(arena.value(core(in: arena))) }
  }
}

/// An enumeration with the raw values of a C enumeration.
protocol CoreEnum: RawRepresentable where RawValue == UInt32 {
  associatedtype Core: RawRepresentable where Core.RawValue == UInt32
}

extension CoreEnum {
  init(_ core: Core) {
    guard let value = Self(rawValue: core.rawValue) else {
      preconditionFailure("the core gave an unknown value")
    }
    self = value
  }

  var core: Core {
    guard let core = Core(rawValue: rawValue) else { preconditionFailure("the core lacks a value") }
    return core
  }
}

extension sc_bytes {
  /// The bytes as text; invalid UTF-8 is replaced.
  package var string: String { String(decoding: content, as: UTF8.self) }
}

/// Copies bytes into a C array of sufficient size.
package func fill<Bytes>(_ bytes: inout Bytes, with content: [UInt8]) {
  withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: content.prefix($0.count)) }
}

/// Stores an optional value in C's form: a flag, and the value if there is one.
func put<Value>(_ value: Value?, _ flag: inout Bool, _ field: inout Value) {
  flag = value != nil
  if let value { field = value }
}

/// Returns the text at the start of a C array.
func string<Bytes>(in bytes: Bytes, count: Int) -> String {
  withUnsafeBytes(of: bytes) { String(decoding: $0.prefix(count), as: UTF8.self) }
}

/// Returns the bytes of a C array.
package func array<Bytes>(_ bytes: Bytes) -> [UInt8] { withUnsafeBytes(of: bytes) { Array($0) } }
