extension CompletionScript {
  /// For `source`, or a folder of bash-completion. It needs nothing but bash itself.
  var bash: String {
    """
    # What bash completes after 'session'; made by 'session completion bash'.
    _session() {
      local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} called= explained= stray= topics= word
      local -a typed=("${COMP_WORDS[@]:1:COMP_CWORD - 1}")
      COMPREPLY=()
      # bash takes --name=value apart.
      if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
      if [[ $current == = ]]; then current=; fi
      if [[ ${typed[0]-} == help ]]; then
        explained=1 typed=("${typed[@]:1}") topics=\(Self.quoted(topics.map { " " + $0.name }.joined()))
      fi
      for word in "${typed[@]}"; do
        case "$called $word" in
          \(calls.map { Self.quoted(Self.key($0)) }.joined(separator: " | \\\n          "))) called+=" $word" ;;
          *) stray=1; break ;;
        esac
      done
      case "$stray$called" in
    \(beginnings.map(bashWords).joined(separator: "\n"))
      esac
      if [[ $explained ]]; then return; fi
      case "$called $before" in
    \(table.commands.flatMap(bashValues).joined(separator: "\n"))
      esac
      case "$called" in
    \(table.commands.map(bashCommand).joined(separator: "\n"))
      esac
    }

    # Names that change come from the program.
    _session_listed() {
      local index name
      local -a account=()
      for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
          --account)
            name=${COMP_WORDS[index + 1]}
            if [[ $name == = ]]; then name=${COMP_WORDS[index + 2]}; fi
            account=("--account=$name") ;;
          --account=*) account=("${COMP_WORDS[index]}") ;;
        esac
      done
      while IFS= read -r name; do
        if [[ $name == "$2"* ]]; then COMPREPLY+=("$(printf %q "$name")"); fi
      done < <(session completion "$1" "${account[@]}" 2>/dev/null)
    }

    _session_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

    _session_files() {
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$1")
    }

    complete -F _session session

    """
  }

  private func bashWords(after beginning: [String]) -> String {
    let words = words(after: beginning).map(\.word).joined(separator: " ")
    let topics = beginning.isEmpty ? "\"$topics\"" : ""
    return
      "    \(Self.quoted(Self.key(beginning)))) _session_words \(Self.quoted(words))\(topics) \"$current\"; return ;;"
  }

  private func bashValues(of command: Command) -> [String] {
    command.options.compactMap { option in
      guard let value = option.value else { return nil }
      return
        "    \(Self.quoted(Self.key(command.words + ["--" + option.name])))) \(bash(Place(value)))return ;;"
    }
  }

  private func bashCommand(_ command: Command) -> String {
    let options = (command.options.map(\.name) + ["help"]).map { "--" + $0 }.joined(separator: " ")
    let offered = "_session_words \(Self.quoted(options)) \"$current\""
    let argument = command.firstPlace.map(bash) ?? ""
    let body = argument.isEmpty ? offered : "if [[ $current == -* ]]; then \(offered); else \(argument)fi"
    return "    \(Self.quoted(Self.key(command.words)))) \(body) ;;"
  }

  private func bash(_ place: Place) -> String {
    switch place {
    case .files: "_session_files \"$current\"; "
    case .choices(let words): "_session_words \(Self.quoted(words.joined(separator: " "))) \"$current\"; "
    case .listed(let names): "_session_listed \(names.rawValue) \"$current\"; "
    case .commands, .anything: ""
    }
  }
}
