internal import CSystemBus
import Glibc
import SessionBase

/// The connection of a bus, as its thread uses it.
final class BusThread {
  fileprivate let functions: UnsafePointer<bus_functions>
  private let connection: OpaquePointer
  private var pending: [ObjectIdentifier: PendingCall] = [:]
  /// Kept until the connection ends.
  private var listeners: [Listener] = []
  private var objects: [ExportedObject] = []

  init(_ connection: OpaquePointer, _ functions: UnsafePointer<bus_functions>) {
    (self.connection, self.functions) = (connection, functions)
  }

  /// Processes what is there, and waits until there is more, or the bell rings. False if the connection has ended.
  func process(until bell: BusBell) -> Bool {
    while true {
      let result = functions.pointee.sd_bus_process(connection, nil)
      guard result >= 0 else { return false }
      if result == 0 { break }
    }
    let (descriptor, events) = (
      functions.pointee.sd_bus_get_fd(connection), functions.pointee.sd_bus_get_events(connection)
    )
    guard descriptor >= 0, events >= 0 else { return false }
    var polled = [
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
      pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, waitingTime) >= 0 || errno == EINTR else { return false }
    bell.silence()
    return true
  }

  /// Milliseconds until the library has to do something; -1 for never.
  private var waitingTime: Int32 {
    var until = UInt64.max
    guard functions.pointee.sd_bus_get_timeout(connection, &until) >= 0 else { return 0 }
    guard until != .max else { return -1 }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    guard until > microseconds else { return 0 }
    return Int32(clamping: (until - microseconds + 999) / 1000)
  }

  func close() {
    for listener in listeners { _ = functions.pointee.sd_bus_slot_unref(listener.slot) }
    for object in objects { _ = functions.pointee.sd_bus_slot_unref(object.slot) }
    for call in pending.values { _ = functions.pointee.sd_bus_slot_unref(call.slot) }
    _ = functions.pointee.sd_bus_flush_close_unref(connection)
    let left = pending.values
    pending = [:]
    for call in left { call.then(.failure(BusFailure(.closed, "the connection to the bus has ended"))) }
    for listener in listeners {
      listener.installed?(BusFailure(.closed, "the connection to the bus has ended"))
    }
  }

  // MARK: - Calls

  private func made(_ make: (inout OpaquePointer?) -> Int32) throws(BusFailure) -> BusMessage {
    var message: OpaquePointer?
    let result = make(&message)
    guard result >= 0, let message else {
      throw BusFailure(
        result == -ENOTCONN ? .closed : .message,
        "a message cannot be made: \(String(cString: strerror(-result)))")
    }
    return BusMessage(owning: message, functions)
  }

  func call(
    _ method: BusMethod, _ values: [BusValue], _ timeout: Duration,
    _ then: @escaping @Sendable (Bus.Reply) -> Void
  ) {
    do throws(BusFailure) {
      let message = try made { message in
        functions.pointee.sd_bus_message_new_method_call(
          connection, &message, method.destination, method.path, method.interface, method.member)
      }
      try message.append(values)
      let call = PendingCall(self, then)
      let time = UInt64(clamping: Int64(timeout / .microseconds(1)))
      let result = functions.pointee.sd_bus_call_async(
        connection, &call.slot, message.pointer, handleReply, Unmanaged.passUnretained(call).toOpaque(), time)
      guard result >= 0 else {
        throw BusFailure(
          result == -ENOTCONN || result == -ECONNRESET ? .closed : .message,
          "the call cannot be sent: \(String(cString: strerror(-result)))")
      }
      pending[ObjectIdentifier(call)] = call
    } catch {
      then(.failure(error))
    }
  }

  fileprivate func finish(_ call: PendingCall, _ message: OpaquePointer) {
    guard pending.removeValue(forKey: ObjectIdentifier(call)) != nil else { return }
    _ = functions.pointee.sd_bus_slot_unref(call.slot)
    do throws(BusFailure) {
      if let failure = failure(of: message) { throw failure }
      let values = try BusMessage.values(of: message, functions)
      call.then(.success(values))
    } catch {
      call.then(.failure(error))
    }
  }

  fileprivate func failure(of message: OpaquePointer) -> BusFailure? {
    guard functions.pointee.sd_bus_message_is_method_error(message, nil) > 0 else { return nil }
    let error = functions.pointee.sd_bus_message_get_error(message)
    let name = error?.pointee.name.map { String(cString: $0) } ?? ""
    let text = error?.pointee.message.map { String(cString: $0) } ?? name
    switch name {
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
      "System.Error.ETIMEDOUT":
      return BusFailure(.timeout, "no reply in time")
    default: return BusFailure(.refused(name), text)
    }
  }

  // MARK: - Signals

  func hear(
    _ rule: String, _ hear: @escaping @Sendable (BusSignal) -> Void,
    _ installed: @escaping @Sendable (BusFailure?) -> Void
  ) {
    let listener = Listener(self, hear, installed)
    let result = functions.pointee.sd_bus_add_match_async(
      connection, &listener.slot, rule, handleSignal, handleInstalled,
      Unmanaged.passUnretained(listener).toOpaque())
    guard result >= 0 else {
      return installed(
        BusFailure(.message, "the rule cannot be added: \(String(cString: strerror(-result)))"))
    }
    listeners.append(listener)
  }

  func send(_ signal: BusSignal, to destination: String?) {
    // A signal that cannot be made is lost, like one without a listener.
    do throws(BusFailure) {
      let message = try made { message in
        functions.pointee.sd_bus_message_new_signal(
          connection, &message, signal.path, signal.interface, signal.member)
      }
      try message.append(signal.values)
      if let destination {
        _ = functions.pointee.sd_bus_send_to(connection, message.pointer, destination, nil)
      } else {
        _ = functions.pointee.sd_bus_send(connection, message.pointer, nil)
      }
    } catch {}
  }

  /// Nil for a message that cannot be read.
  fileprivate func content(of message: OpaquePointer) -> BusSignal? {
    func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
    let calls = functions.pointee
    guard let values = try? BusMessage.values(of: message, functions) else { return nil }
    return BusSignal(
      sender: text(calls.sd_bus_message_get_sender(message)),
      path: text(calls.sd_bus_message_get_path(message)),
      interface: text(calls.sd_bus_message_get_interface(message)),
      member: text(calls.sd_bus_message_get_member(message)), values: values)
  }

  // MARK: - Objects

  func export(_ path: String, _ answer: @escaping @Sendable (BusSignal) -> BusAnswer) {
    let object = ExportedObject(self, answer)
    let result = functions.pointee.sd_bus_add_object(
      connection, &object.slot, path, handleCall, Unmanaged.passUnretained(object).toOpaque())
    if result >= 0 { objects.append(object) }
  }

  fileprivate func answer(_ call: OpaquePointer, _ answer: BusAnswer) -> Int32 {
    do throws(BusFailure) {
      switch answer {
      case .silence: return 1
      case .values(let values):
        let reply = try made { functions.pointee.sd_bus_message_new_method_return(call, &$0) }
        try reply.append(values)
        _ = functions.pointee.sd_bus_send(connection, reply.pointer, nil)
      case .error(let name, let text):
        let reply = try made { message in
          name.withCString { name in
            text.withCString { text in
              var error = sd_bus_error(name: name, message: text, needs_free: 0)
              return functions.pointee.sd_bus_message_new_method_error(call, &message, &error)
            }
          }
        }
        _ = functions.pointee.sd_bus_send(connection, reply.pointer, nil)
      }
      return 1
    } catch {
      return -EINVAL
    }
  }
}

/// A call without a reply yet.
private final class PendingCall {
  unowned let thread: BusThread
  let then: @Sendable (Bus.Reply) -> Void
  var slot: OpaquePointer?

  init(_ thread: BusThread, _ then: @escaping @Sendable (Bus.Reply) -> Void) {
    (self.thread, self.then) = (thread, then)
  }
}

private final class Listener {
  unowned let thread: BusThread
  let hear: @Sendable (BusSignal) -> Void
  /// Nil once it was called.
  var installed: (@Sendable (BusFailure?) -> Void)?
  var slot: OpaquePointer?

  init(
    _ thread: BusThread, _ hear: @escaping @Sendable (BusSignal) -> Void,
    _ installed: @escaping @Sendable (BusFailure?) -> Void
  ) {
    (self.thread, self.hear, self.installed) = (thread, hear, installed)
  }
}

private final class ExportedObject {
  unowned let thread: BusThread
  let answer: @Sendable (BusSignal) -> BusAnswer
  var slot: OpaquePointer?

  init(_ thread: BusThread, _ answer: @escaping @Sendable (BusSignal) -> BusAnswer) {
    (self.thread, self.answer) = (thread, answer)
  }
}

private let handleReply: sd_bus_handler = { message, user, _ in
  guard let message, let user else { return 0 }
  let call = Unmanaged<PendingCall>.fromOpaque(user).takeUnretainedValue()
  call.thread.finish(call, message)
  return 1
}

private let handleSignal: sd_bus_handler = { message, user, _ in
  guard let message, let user else { return 0 }
  let listener = Unmanaged<Listener>.fromOpaque(user).takeUnretainedValue()
  if let signal = listener.thread.content(of: message) { listener.hear(signal) }
  // Other listeners hear it, too.
  return 0
}

private let handleInstalled: sd_bus_handler = { message, user, _ in
  guard let message, let user else { return 0 }
  let listener = Unmanaged<Listener>.fromOpaque(user).takeUnretainedValue()
  let installed = listener.installed
  listener.installed = nil
  installed?(listener.thread.failure(of: message))
  return 1
}

private let handleCall: sd_bus_handler = { message, user, _ in
  guard let message, let user else { return 0 }
  let object = Unmanaged<ExportedObject>.fromOpaque(user).takeUnretainedValue()
  guard let call = object.thread.content(of: message) else { return 0 }
  return object.thread.answer(message, object.answer(call))
}
