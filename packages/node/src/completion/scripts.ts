import type { CommandWords, FlagWords } from './command-words.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands)
    case 'zsh':
      return zshScript(commands)
    case 'fish':
      return fishScript(commands)
  }
}

const wordsOf = ({ subcommands, flags }: CommandWords) => [...subcommands.map(({ name }) => name), ...flags.map(({ flag }) => flag)]
const names = (flags: readonly FlagWords[]) => flags.map(({ flag }) => flag).join('|')

/** Cases of one command: its path is the sequence of words without flags that are command names. */
function bashScript(commands: readonly CommandWords[]): string {
  const cases = commands.map((command) => `    '${command.path}') words='${wordsOf(command).join(' ')}' ;;`)
  const paths = commands.map(({ path }) => `'${path}'`).join('|')
  const isPath = names(unique(commands, ({ takesPath }) => takesPath))
  const isValue = names(unique(commands, ({ takesPath, takesValue }) => takesValue && !takesPath))
  return `# keelson completion bash >> ~/.bashrc
_keelson() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' next words='' i
  COMPREPLY=()
  case $previous in
    ${isPath}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${isValue}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case $next in ${paths}) path=$next ;; esac
  done
  case $path in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -o bashdefault -F _keelson keelson
`
}

function zshScript(commands: readonly CommandWords[]): string {
  const described = (word: string, text: string) => `'${word}:${text}'`
  const cases = commands.map(
    ({ path, subcommands, flags }) =>
      `    '${path}') words_of=(${[...subcommands.map(({ name, summary }) => described(name, summary)), ...flags.map(({ flag, description }) => described(flag, description))].join(' ')}) ;;`,
  )
  const paths = commands.map(({ path }) => `'${path}'`).join('|')
  return `#compdef keelson
# keelson completion zsh > "\${fpath[1]}/_keelson"
_keelson() {
  local path_of='' next i
  local -a words_of
  case $words[CURRENT-1] in
    ${names(unique(commands, ({ takesPath }) => takesPath))}) _files; return ;;
    ${names(unique(commands, ({ takesPath, takesValue }) => takesValue && !takesPath))}) return ;;
  esac
  for ((i = 2; i < CURRENT; i++)); do
    next="\${path_of:+$path_of }$words[i]"
    case $next in ${paths}) path_of=$next ;; esac
  done
  case $path_of in
${cases.join('\n')}
  esac
  _describe 'keelson' words_of
}
if [ "$funcstack[1]" = _keelson ]; then _keelson "$@"; else compdef _keelson keelson; fi
`
}

function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ path, subcommands, flags }) => {
    const when = `-n '__keelson_at "${path}"'`
    return [
      ...subcommands.map(({ name, summary }) => `complete -c keelson -f ${when} -a '${name}' -d '${summary}'`),
      ...flags.map(({ flag, takesPath, takesValue, description }) => {
        const name = flag.startsWith('--') ? `-l '${flag.slice(2)}'` : `-s '${flag.slice(1)}'`
        return `complete -c keelson ${when} ${name} ${takesPath ? '-r -F' : takesValue ? '-x' : '-f'} -d '${description}'`
      }),
    ]
  })
  const paths = commands.map(({ path }) => `'${path}'`).join(' ')
  return `# keelson completion fish > ~/.config/fish/completions/keelson.fish
function __keelson_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$path $word")
    contains -- "$next" ${paths}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

function unique(commands: readonly CommandWords[], isWanted: (flag: FlagWords) => boolean): readonly FlagWords[] {
  const found = new Map(commands.flatMap(({ flags }) => flags.filter(isWanted)).map((flag) => [flag.flag, flag]))
  return [...found.values()]
}
