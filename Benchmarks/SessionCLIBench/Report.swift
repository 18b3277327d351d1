import Measuring

/// One line: what a command took, beside what it takes to run a program that does nothing.
struct Report {
  let name: String
  let mostMilliseconds: Double
  let mostMebibytes: Double?

  /// Runs the command and the floor in turn, then the command again for its memory.
  func run(_ count: Int, _ program: Program, _ arguments: String...) {
    let idle = Program(path: "/bin/true")
    var (ours, floors): ([Double], [Double]) = ([], [])
    for _ in 0..<count {
      ours.append(program.run(arguments) * 1e3)
      floors.append(idle.run([]) * 1e3)
    }
    ours.sort()
    let (time, floor) = (ours.part(0.5), floors.sorted().part(0.5))
    var line = "\(name): p50 \(time.rounded(to: 1)) ms, p95 \(ours.part(0.95).rounded(to: 1)) ms"
    line += "; a program that does nothing \(floor.rounded(to: 2)) ms, ratio \((time / floor).rounded(to: 1))"
    line += "; target \(mostMilliseconds.rounded(to: 0)) ms: \(judged(time <= mostMilliseconds))"
    let size = Double((0..<5).map { _ in program.memory(arguments) }.max() ?? 0) / 1024
    line += "; \(size.rounded(to: 1)) MiB"
    if let most = mostMebibytes { line += ", target \(most.rounded(to: 0)) MiB: \(judged(size <= most))" }
    print(line)
  }
}
