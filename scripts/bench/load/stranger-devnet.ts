/**
 * Block times of a network before, during and after requests at the maximum rate from addresses that it does not trust.
 *   npm run build && node --import=tsx scripts/bench/load/stranger-devnet.ts [--seconds N] [--port-offset N]
 *   --seconds  duration of each phase; default 60
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../../../test/support/devnet-process.ts'
import { rpcCall } from '../../../test/support/json-rpc.ts'
import { startTransactionLoad } from '../../../test/support/transaction-load.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { median } from '../measure.ts'
import { formatTable } from '../table.ts'
import { startStrangers } from './strangers.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, 'port-offset': { type: 'string', default: '25000' } },
})
const STRANGERS = ['127.0.0.2', '127.0.0.3']
const POLL_MS = 50
const SENDERS = [5, 6, 7, 8]
const SEND_EVERY_MS = 100
const LOOP = '0x00000000000000000000000000000000000ec004'
const loop = { [LOOP]: { code: '0x5b5f56' } }
const BODIES = [
  ['eth_call', [{ to: LOOP }, 'latest', loop]],
  ['eth_estimateGas', [{ to: LOOP }, 'latest', loop]],
  ['eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: loop, calls: [{ to: LOOP }] }] }, 'latest']],
].map(([method, params]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))

type Histograms = ReadonlyMap<string, { readonly sum: number; readonly count: number }>

const SAMPLE = /^(\S*?(?:sequencer_seconds|sequencer_late_seconds|block_execution_seconds))_(sum|count)(\S*) (\S+)$/gm

async function readHistograms({ facts }: DevnetProcess): Promise<Histograms> {
  const found = new Map<string, { sum: number; count: number }>()
  for (const url of [facts.metrics.execution, facts.metrics.consensus]) {
    const text = await (await fetch(url)).text()
    for (const [, name, part, labels, value] of text.matchAll(SAMPLE)) {
      const key = `${name}${labels}`
      const entry = found.get(key) ?? { sum: 0, count: 0 }
      entry[part as 'sum' | 'count'] = Number(value)
      found.set(key, entry)
    }
  }
  return found
}

interface Phase {
  readonly intervalsMs: readonly number[]
  readonly meansMs: ReadonlyMap<string, number>
}

async function watch(devnet: DevnetProcess): Promise<Phase> {
  const before = await readHistograms(devnet)
  const endMs = performance.now() + Number(values.seconds) * 1_000
  const seenMs: number[] = []
  let head = ''
  while (performance.now() < endMs) {
    const now = await rpcCall<string>(devnet.facts.l2.rpcUrl, 'eth_blockNumber')
    if (now !== head) seenMs.push(performance.now())
    head = now
    await delay(POLL_MS)
  }
  const after = await readHistograms(devnet)
  const means = [...after].map(([name, { sum, count }]) => {
    const was = before.get(name) ?? { sum: 0, count: 0 }
    return [name, ((sum - was.sum) / Math.max(1, count - was.count)) * 1_000] as const
  })
  return { intervalsMs: seenMs.slice(2).map((ms, i) => ms - (seenMs[i + 1] as number)), meansMs: new Map(means) }
}

console.log(machineLine(describeMachine()))
const devnet = await startDevnet(newDevnetFolder(), Number(values['port-offset']))
try {
  const load = startTransactionLoad(devnet, SENDERS, SEND_EVERY_MS)
  const quiet = await watch(devnet)
  const stop = await startStrangers(devnet.facts.l2.rpcUrl, BODIES, STRANGERS)
  const attacked = await watch(devnet)
  const { answered, refused } = await stop()
  const after = await watch(devnet)
  await load.stop()
  const phases = [quiet, attacked, after]
  const row = (name: string, of: (phase: Phase) => number) => [name, ...phases.map((phase) => of(phase).toFixed(1))]
  const rows = [
    row('block interval p50', ({ intervalsMs }) => median([...intervalsMs])),
    row('maximum block interval', ({ intervalsMs }) => Math.max(...intervalsMs)),
    row('blocks', ({ intervalsMs }) => intervalsMs.length),
    ...[...quiet.meansMs.keys()].map((name) => row(`${name} mean`, ({ meansMs }) => meansMs.get(name) ?? Number.NaN)),
  ]
  console.log(formatTable(['milliseconds', 'quiet', 'attacked', 'quiet again'], rows))
  console.log(`strangers: ${answered} answered, ${refused} refused; transfers: ${load.accepted.length}`)
} finally {
  await devnet.remove()
}
console.log(machineLine(describeMachine()))
