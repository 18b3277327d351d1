import Glibc
import Measuring
import SessionBase

/// A server that is measured, with the room that clients use there.
struct MeasuredServer {
  let name: String
  let address: String
  let key: String
  let room: String
  /// Its process.
  let process: Int32

  /// Has clients in another process send requests, as fast as they are answered or at a steady pace.
  func measure(_ mode: LoadClient.Mode, _ count: Int, pace: Double = 0, in folder: String) -> LoadRate {
    let file = folder + "/rate"
    unlink(file)
    OwnProcess.run(
      pace > 0 ? "--paced" : "--rate", mode.rawValue, address, key, "\(count)", room, "\(pace)", file)
    let numbers = OwnProcess.text(of: file).split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 3 else { fatalError("a server could not be measured") }
    return LoadRate(rate: numbers[0], p50: numbers[1], p99: numbers[2])
  }

  /// Kilobytes of the server with its children, what they share counted in parts.
  var memory: Int { Self.tree(of: process).reduce(0) { $0 + Self.share(of: $1) } }

  private static func share(of process: Int32) -> Int {
    let lines = OwnProcess.text(of: "/proc/\(process)/smaps_rollup").split(separator: "\n")
    let words = lines.first { $0.hasPrefix("Pss:") }?.split(separator: " ")
    return words?.dropFirst().first.flatMap { Int($0) } ?? 0
  }

  private static func tree(of process: Int32) -> [Int32] {
    let children = OwnProcess.names(in: "/proc").compactMap { Int32($0) }.filter { child in
      let fields = OwnProcess.text(of: "/proc/\(child)/stat").split(separator: ")").last?.split(
        separator: " ")
      return fields?.dropFirst().first == "\(process)"
    }
    return [process] + children.flatMap { tree(of: $0) }
  }
}

/// Measures a server, and another one beside it in turn: five times each, of which the middle one counts.
struct Measures {
  private static let rounds = 5

  let ours: MeasuredServer
  let other: MeasuredServer?
  let folder: String
  let seconds: Int

  func run() {
    let polls = compare("M1 polls at rest", .poll, signatures: 1, goal: 20)
    compare("M2 polls at rest through the network", .sealedPoll, signatures: 1, goal: 15)
    let pace = ours.measure(.poll, seconds, pace: polls * 0.8, in: folder)
    let others = other.map { server in
      let most = server.measure(.poll, probe(server, .poll), in: folder).rate
      let paced = server.measure(.poll, seconds, pace: most * 0.8, in: folder)
      return "; \(server.name) p99 \(paced.p99.rounded(to: 2)) ms at \(Int(paced.rate))/s"
    }
    print(
      """
      community/M3 polls at 80 % of the most, \(Int(pace.rate))/s: p50 \(pace.p50.rounded(to: 2)), p99 \
      \(pace.p99.rounded(to: 2)) ms\(others ?? ""); p99 at most 10 ms: \(judged(pace.p99 <= 10))
      """)
    compare("M4 newest 100 messages", .recent, signatures: 0, goal: 40)
    compare("M5 posts of different people, on disk", .postOfMany, signatures: 2, goal: 10)
    let memory = other.map { "; \($0.name) \($0.memory / 1024) MiB" }
    print(
      "community/M6 memory after that: \(ours.memory / 1024) MiB\(memory ?? ""), at most 60 MiB and a fifth")
    let before = Self.written
    _ = ours.measure(.poll, 10_000, in: folder)
    print("community/M7 written by 10,000 polls at rest: \((Self.written - before) / 1024) KiB, visits alone")
    compare("M8 catching up, messages", .catchUp, signatures: 0, goal: 20, count: 5000)
  }

  /// Prints how many requests a second are answered; returns ours.
  @discardableResult
  private func compare(
    _ name: String, _ mode: LoadClient.Mode, signatures: Int, goal: Double, count: Int? = nil
  ) -> Double {
    let servers = [ours] + (other.map { [$0] } ?? [])
    var rates = servers.map { _ in [LoadRate]() }
    let counts = servers.map { count ?? probe($0, mode) }
    for _ in 0..<Self.rounds {
      for (index, server) in servers.enumerated() {
        rates[index].append(server.measure(mode, counts[index], in: folder))
      }
    }
    let middle = rates.map { rates in rates.sorted { $0.rate < $1.rate }[Self.rounds / 2] }
    var text = zip(servers, middle).map { server, rate in
      let times = rate.p99 > 0 ? " (p50 \(rate.p50.rounded(to: 2)), p99 \(rate.p99.rounded(to: 2)) ms)" : ""
      return "\(server.name) \(Int(rate.rate))/s\(times)"
    }.joined(separator: ", ")
    if middle.count > 1 {
      let ratio = middle[0].rate / middle[1].rate
      text += ", ratio \(ratio.rounded(to: 1)), at least \(Int(goal)): \(judged(ratio >= goal))"
    }
    if signatures > 0 {
      let start = ContinuousClock.now
      verify(signatures * 1000)
      let floor = 1000 / (ContinuousClock.now - start).seconds
      text += "; floor, verifying the signatures on a core: \(Int(floor))/s"
      text += ", ratio \((floor / middle[0].rate).rounded(to: 2))"
    }
    print("community/\(name): \(text)")
    return middle[0].rate
  }

  /// The number of requests that a server answers in the time of a round.
  private func probe(_ server: MeasuredServer, _ mode: LoadClient.Mode) -> Int {
    max(Int(server.measure(mode, 128, in: folder).rate) * seconds, 128)
  }

  /// Bytes that this process has written to the disk.
  private static var written: Int {
    let lines = OwnProcess.text(of: "/proc/self/io").split(separator: "\n")
    let line = lines.first { $0.hasPrefix("write_bytes:") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }
}
