internal import CSessionCore

/// The memory of values that are lent to the core: all of it is wiped and given back with the arena.
///
/// Pointers into it must not outlive it.
final class CoreArena {
  private var blocks: [UnsafeMutableRawBufferPointer] = []

  deinit {
    for block in blocks {
      sc_wipe(block.baseAddress, block.count)
      block.deallocate()
    }
  }

  /// Bytes, as long as the arena lives.
  func bytes(_ bytes: some Collection<UInt8>) -> sc_bytes {
    let copy = take(UInt8.self, count: bytes.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: bytes.count).update(fromContentsOf: bytes)
    return sc_bytes(ptr: copy, len: bytes.count)
  }

  /// None where there is no secret.
  func bytes(_ secret: SecretBytes?) -> sc_bytes { secret?.withCore { bytes($0.content) } ?? sc_bytes() }

  /// A text; none where it is nil.
  func text(_ text: String?) -> sc_bytes { text.map { bytes($0.utf8) } ?? sc_bytes() }

  /// An array of plain values of C, nil where there is nothing in it.
  func list<Element>(_ elements: [Element]) -> UnsafePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    let copy = take(Element.self, count: elements.count)
    copy.initialize(from: elements, count: elements.count)
    return UnsafePointer(copy)
  }

  func value<Value>(_ value: Value) -> UnsafePointer<Value> {
    guard let copy = list([value]) else { preconditionFailure("a list of one is not empty") }
    return copy
  }

  /// Bytes as a list of elements that are arrays of bytes in C; nil where there are none.
  func array<Element>(of bytes: [UInt8]) -> UnsafePointer<Element>? {
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

/// A value that the core has in a form of its own, whose texts and lists are in an arena.
protocol CoreValue {
  associatedtype CoreForm
  func core(in arena: CoreArena) -> CoreForm
}

extension CoreValue {
  /// Lends the value in the core's form.
  func withCore<R>(_ body: (UnsafePointer<CoreForm>) throws(SessionError) -> R) throws(SessionError) -> R {
    let arena = CoreArena()
    defer { withExtendedLifetime(arena) {} }
    return try body(arena.value(core(in: arena)))
  }
}

/// An enumeration whose raw values are those of one of C.
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
  /// As text; what is not valid UTF-8 is replaced.
  var string: String { String(decoding: content, as: UTF8.self) }
}

/// Copies bytes into an array of C, which has room for them.
func fill<Bytes>(_ bytes: inout Bytes, with content: [UInt8]) {
  withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: content.prefix($0.count)) }
}

/// The bytes of an array of C.
func array<Bytes>(_ bytes: Bytes) -> [UInt8] { withUnsafeBytes(of: bytes) { Array($0) } }
