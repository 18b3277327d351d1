import Measuring

/// One line: what a command took, beside what it takes to run a program that does nothing.
struct Report {
  let name: String
  let mostMilliseconds: Double
  let mostMebibytes: Double?

  /// Runs the command and the floor in turn.
  func run(_ count: Int, _ command: () -> Program.Run) {
    let idle = Program(path: "/bin/true")
    var (ours, floors): ([Program.Run], [Program.Run]) = ([], [])
    for _ in 0..<count {
      ours.append(command())
      floors.append(idle.run())
    }
    let (time, floor) = (ours.seconds * 1e3, floors.seconds * 1e3)
    var line =
      "\(name): p50 \(time.rounded(to: 1)) ms, p95 \((ours.map(\.seconds).sorted().part(0.95) * 1e3).rounded(to: 1)) ms"
    line += "; a program that does nothing \(floor.rounded(to: 2)) ms, ratio \((time / floor).rounded(to: 1))"
    line += "; target \(mostMilliseconds.rounded(to: 0)) ms: \(judged(time <= mostMilliseconds))"
    let size = Double(ours.kilobytes) / 1024
    line += "; \(size.rounded(to: 1)) MiB"
    if let most = mostMebibytes { line += ", target \(most.rounded(to: 0)) MiB: \(judged(size <= most))" }
    print(line)
  }
}
