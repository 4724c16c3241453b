import { resolve } from 'node:path'
import { chooseRoles, devnetPaths, openLogTail, renderLine } from '@keelson/devnet'
import { createSystemClock, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { dataDirOption } from './options.ts'

const POLL_MS = 200
const MAX_LINES = 10_000

export const logsCommand = defineCommand({
  name: 'devnet logs',
  summary: 'what the roles logged, of all or of one',
  usage: '[ROLE] [-f] [--lines N] [--data-dir FOLDER]',
  explanation: 'Roles are named as in keelson devnet status. The logs stay after the network ends, in FOLDER/logs.',
  options: {
    dataDir: dataDirOption,
    follow: option({
      key: 'logs.follow',
      flag: 'follow',
      short: 'f',
      parse: parse.toggle,
      default: false,
      description: 'Print new lines until Ctrl-C.',
    }),
    lines: option({
      key: 'logs.lines',
      flag: 'lines',
      parse: parse.integer(0, MAX_LINES),
      default: 50,
      description: 'Newest lines to begin with.',
    }),
    json: option({
      key: 'logs.json',
      flag: 'json',
      parse: parse.toggle,
      default: false,
      description: 'Print lines as the roles wrote them.',
    }),
  },
  takesArguments: true,
  checkArguments([, second]) {
    if (second !== undefined) throw new AssemblyError('node/usage', `"${second}" is one too many: name one role, or none for all`)
  },
  async run({ dataDir, follow, lines, json }, { positional }) {
    const { logs } = devnetPaths(resolve(dataDir))
    const roles = chooseRoles(logs, positional[0] ?? null)
    const width = roles.length === 1 ? 0 : Math.max(...roles.map((role) => role.length))
    const style = { width, coloured: process.stdout.isTTY === true }
    const print = (found: ReturnType<typeof tail.newest>) => {
      for (const entry of found) console.log(json ? entry.line : renderLine(entry, style))
    }
    const tail = openLogTail(logs, roles)
    print(tail.newest(lines))
    const clock = createSystemClock()
    while (follow) {
      await clock.sleep(POLL_MS)
      print(tail.more())
    }
    return 0
  },
})
