extension CompletionScript {
  /// For `source`, or a folder of `fpath` as a file named `_session`.
  var zsh: String {
    """
    #compdef session
    # What zsh completes after 'session'; made by 'session completion zsh'.
    _session() {
      local called= explained= stray= word
      local -a offered
      integer first=2 count=0
      if [[ $words[2] == help ]] && (( CURRENT > 2 )); then explained=1 first=3; fi
      for word in "${(@)words[first,CURRENT - 1]}"; do
        case "$called $word" in
          (\(calls.map { Self.quoted(Self.key($0)) }.joined(separator: " | \\\n          "))) called+=" $word"; (( count++ )) ;;
          (*) stray=1; break ;;
        esac
      done
      case "$stray$called" in
    \(beginnings.map(zshWords).joined(separator: "\n"))
      esac
      if [[ $explained && -z $stray$called ]]; then
        offered+=(\(topics.map { Self.quoted("\($0.name):\($0.summary)") }.joined(separator: " ")))
      fi
      if [[ $explained ]] || (( ${#offered} )); then
        _describe 'command' offered
        return
      fi
      shift count words
      (( CURRENT -= count ))
      case "$called" in
    \(table.commands.map(zshCommand).joined(separator: "\n"))
      esac
    }

    # Names that change come from the program.
    _session_listed() {
      local -a names account=()
      integer place
      for (( place = 1; place < CURRENT; place++ )); do
        case $words[place] in
          (--account) account=("--account=$words[place + 1]") ;;
          (--account=*) account=("$words[place]") ;;
        esac
      done
      names=("${(@f)$(session completion $1 $account 2>/dev/null)}")
      compadd -a names
    }
    _session_accounts() { _session_listed accounts }
    _session_people() { _session_listed people }
    _session_groups() { _session_listed groups }
    _session_chats() { _session_listed chats }

    if [[ ${funcstack[1]-} == _session ]]; then _session "$@"; else compdef _session session; fi

    """
  }

  private func zshWords(after beginning: [String]) -> String {
    let offered = words(after: beginning).map { Self.quoted("\($0.word):\($0.summary)") }.joined(
      separator: " ")
    return "    (\(Self.quoted(Self.key(beginning)))) offered=(\(offered)) ;;"
  }

  private func zshCommand(_ command: Command) -> String {
    let help = Command.Option(name: "help", summary: "explain this command")
    var specs = (command.options + [help]).map { option in
      // The = lets the value stand in the same word or in the next one.
      let name = "\(option.isRepeated ? "*" : "")--\(option.name)\(option.value == nil ? "" : "=")"
      let head = "\(name)[\(Self.escaped(option.summary))]"
      return option.value.map { head + ":\(Self.escaped($0)):\(Self.action(Place($0)))" } ?? head
    }
    specs += command.arguments.enumerated().map { index, argument in
      let position = argument.isRepeated ? "*" : "\(index + 1)"
      return "\(position):\(Self.escaped(argument.name)):\(Self.action(Place(argument.name)))"
    }
    return
      "    (\(Self.quoted(Self.key(command.words)))) _arguments -S \(specs.map(Self.quoted).joined(separator: " ")) ;;"
  }

  private static func action(_ place: Place) -> String {
    switch place {
    case .files: "_files"
    case .choices(let words): "(\(words.joined(separator: " ")))"
    case .listed(let names): "_session_\(names.rawValue)"
    case .commands, .anything: ""
    }
  }

  /// Escapes the special characters of specifications for `_arguments`.
  private static func escaped(_ text: String) -> String {
    String(text.flatMap { "[]:\\".contains($0) ? ["\\", $0] : [$0] })
  }
}
