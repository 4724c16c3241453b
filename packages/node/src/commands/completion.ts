import { asCalled } from '@keelson/runtime'
import { defineCommand } from '../command.ts'
import { readCommandWords } from '../completion/command-words.ts'
import { completionScript, SHELLS } from '../completion/scripts.ts'
import { AssemblyError } from '../errors.ts'

export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'a script that completes commands and options in bash, zsh or fish',
  usage: SHELLS.join('|'),
  explanation: `bash:  keelson completion bash >> ~/.bashrc
zsh:   keelson completion zsh > "\${fpath[1]}/_keelson"
fish:  keelson completion fish > ~/.config/fish/completions/keelson.fish`,
  options: {},
  takesArguments: true,
  checkArguments(words) {
    const isShell = words.length === 1 && SHELLS.some((shell) => shell === words[0])
    if (!isShell) throw new AssemblyError('node/usage', `name one shell: ${asCalled(`completion ${SHELLS.join('|')}`)}`)
  },
  async run(_, { positional: [given] }) {
    const shell = SHELLS.find((known) => known === given) ?? 'bash'
    const { COMMANDS } = await import('./all-commands.ts')
    process.stdout.write(completionScript(shell, await readCommandWords(COMMANDS)))
    return 0
  },
})
