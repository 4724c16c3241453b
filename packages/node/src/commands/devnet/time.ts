import { createDevnetRpc, MAX_TIME_MS, readTimes } from '@keelson/devnet'
import { asCalled, createSystemClock, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { askNetwork, readRunningDevnet } from './ask-network.ts'
import { dataDirOption } from './options.ts'

const duration = parse.duration(1000, MAX_TIME_MS)
const BEHIND_SEC = 30

export const timeCommand = defineCommand({
  name: 'devnet time',
  summary: "the network's time; +1d, +2h or +30s moves the clocks of both chains forward",
  usage: '[+TIME] [--data-dir FOLDER]',
  explanation: `A rollup has a block for every block time, so L2 builds the blocks in between, without transactions: a day of 2 s blocks is 43,200
blocks. L1 mines at most a sixteenth of the sequencing window. The roles are stopped for a few seconds. At most 7d at once; time does not go back, but a snapshot does.`,
  options: { dataDir: dataDirOption },
  takesArguments: true,
  checkArguments([first, second]) {
    if (second !== undefined) throw new AssemblyError('node/usage', `"${second}" is one too many: one time, as +1d`)
    if (first !== undefined) readStep(first)
  },
  async run({ dataDir }, { positional: [given] }) {
    if (given !== undefined) {
      const { running } = await askNetwork(dataDir, { task: 'time', params: { byMs: readStep(given) } })
      if (!running) {
        console.log(`the clocks are ${given} ahead of where they were; the next start continues there`)
        return 0
      }
    }
    const facts = readRunningDevnet(dataDir)
    const clock = createSystemClock({ offsetMs: facts.clockOffsetMs })
    const nowSec = Math.floor(clock.nowMs() / 1000)
    const { l1Sec, l2Sec } = await readTimes(facts, createDevnetRpc(clock))
    const shown = (sec: number) => new Date(sec * 1000).toISOString()
    console.log(`network ${shown(nowSec)}, ${facts.clockOffsetMs / 1000} s from the machine's clock`)
    console.log(`L1      ${shown(l1Sec)}\nL2      ${shown(l2Sec)}`)
    if (nowSec - l2Sec > BEHIND_SEC) console.log(`L2 has ${nowSec - l2Sec} s to catch up; look again with: ${asCalled('devnet time')}`)
    return 0
  },
})

function readStep(text: string): number {
  const [, sign, rest] = /^([+-])(.+)$/.exec(text) ?? []
  if (sign === '-')
    throw new AssemblyError('node/usage', `${text}: time does not go back; ${asCalled('devnet restore NAME')} goes back to a snapshot`)
  try {
    const ms = duration(rest)
    if (ms % 1000 === 0) return ms
  } catch (error) {
    if (!(error instanceof parse.OptionValueError)) throw error
  }
  throw new AssemblyError('node/usage', `expected a time from +1s to +7d in whole seconds, as +1d, +2h or +90s, got "${text.slice(0, 40)}"`)
}
