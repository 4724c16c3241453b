/** `npm run namespaces`: execution clients over links that lose packets, are slow, and are cut. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareNetwork } from '@keelson/devnet'
import { endAllKeelson } from '../support/keelson-process.ts'
import { Lab, missingForLab } from './lab.ts'
import { openRelays } from './relays.ts'
import { MODES, runScenario } from './scenario.ts'

const USAGE = `usage: npm run namespaces -- [--blocks N] [--loss PERCENT] [--delay MS] [--rate KBIT] [--minutes N]
  --blocks   of the chain that is fetched; 400 by default
  --loss     percentage of packets, in each direction of each link; 5 by default
  --delay    milliseconds in each direction; 100 by default
  --rate     kbit/s in each direction of each link; 2000 by default
  --minutes  the longest duration; 15 by default
Needs Linux, root, and ip, tc and iptables.`

/** Tells the process inside the hub which namespaces there are. */
const NAME_VARIABLE = 'KEELSON_NAMESPACES'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '400' },
    loss: { type: 'string', default: '5' },
    delay: { type: 'string', default: '100' },
    rate: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '15' },
    help: { type: 'boolean', default: false },
  },
})

function option(name: 'blocks' | 'loss' | 'delay' | 'rate' | 'minutes', least: number, most: number): number {
  const value = Number(values[name])
  if (value >= least && value <= most) return value
  console.error(`--${name} ${values[name]}: expected ${least} to ${most}\n${USAGE}`)
  process.exit(2)
}

/** In the hub, from which every node is reachable. */
async function runInside(lab: Lab): Promise<void> {
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-namespaces-'))
  const end = async () => {
    await endAllKeelson()
    rmSync(folder, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().then(() => process.exit(1)))
  const network = join(folder, 'network')
  const say = (line: string) => console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`)
  try {
    const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
    await prepareNetwork(network, choice, 1_700_000_000_000, () => assert.fail('the default network is prebuilt'))
    const link = { lossPercent: option('loss', 0, 50), rateKbit: option('rate', 100, 10_000_000) }
    const relays = await openRelays(lab.nodes, option('delay', 0, 5_000))
    await runScenario({ lab, link, network, folder, blocks: option('blocks', 100, 100_000), say })
    relays.close()
  } finally {
    await end()
  }
  console.log('all checks passed')
}

/** Makes the namespaces, runs this program again in the hub, and removes them. */
async function runOutside(lab: Lab, name: string): Promise<number> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  const timer = setTimeout(interrupt, option('minutes', 1, 600) * 60_000)
  try {
    lab.open()
    const args = ['netns', 'exec', lab.hub, process.execPath, ...process.execArgv, import.meta.filename, ...process.argv.slice(2)]
    const inside = spawn('ip', args, { stdio: 'inherit', env: { ...process.env, [NAME_VARIABLE]: name } })
    stop.signal.addEventListener('abort', () => void inside.kill('SIGTERM'))
    if (stop.signal.aborted) inside.kill('SIGTERM')
    const code = await new Promise<number>((resolve) => inside.once('close', (given) => resolve(given ?? 1)))
    if (stop.signal.aborted) console.error('stopped before the end')
    return code
  } finally {
    clearTimeout(timer)
    lab.close()
  }
}

const missing = missingForLab()
const name = process.env[NAME_VARIABLE]
if (values.help) console.log(USAGE)
else if (missing !== null) {
  console.error(`npm run namespaces: ${missing}`)
  process.exitCode = 2
} else if (name === undefined) {
  const own = `keelson-${process.pid}`
  process.exitCode = await runOutside(new Lab(own, MODES.length), own)
} else await runInside(new Lab(name, MODES.length))
