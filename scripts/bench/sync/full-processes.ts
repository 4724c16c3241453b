/**
 * Headers and blocks a second of a full sync between two processes over RLPx, by Keelson and by op-geth in turns, of the same chain from
 * the same peer. Every client starts with an empty folder; the time counts from the first forkchoice, when the peer is connected.
 *   npm run build && node --import=tsx scripts/bench/sync/full-processes.ts [--blocks N] [--transfers N] [--rounds N] [--op-geth PATH] [--port N]
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareNetwork } from '@keelson/devnet'
import { type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { eventually } from '../../../test/support/eventually.ts'
import { buildChain } from '../../../test/support/execution-process.ts'
import { endAllKeelson } from '../../../test/support/keelson-process.ts'
import { useOf } from '../load/hardware/role-use.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { type ClientUnderTest, startKeelsonClient, startOpGeth } from './client-under-test.ts'
import { wideDeposits } from './wide-chain.ts'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '4000' },
    transfers: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
    'op-geth': { type: 'string' },
    port: { type: 'string', default: '23000' },
  },
})
const [blocks, transfers, rounds, port] = [values.blocks, values.transfers, values.rounds, values.port].map(Number) as [
  number,
  number,
  number,
  number,
]
/** The longest sync that is waited for. */
const LIMIT_MS = 900_000
/** What op-geth logs when it has the headers. */
const BODIES_BEGIN = 'Block synchronisation started'

const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-full-processes-'))
const network = join(folder, 'network')
const opened: ClientUnderTest[] = []
let nextPort = port

type Contender = 'Keelson' | 'op-geth'

async function start(program: Contender, name: string, peer: string | null): Promise<ClientUnderTest> {
  const options = { network, dataDir: join(folder, name), mode: 'full', port: nextPort, peer } as const
  nextPort += 6
  const client = program === 'op-geth' ? await startOpGeth(values['op-geth'] as string, options) : await startKeelsonClient(options)
  opened.push(client)
  return client
}

async function hasHeaders(program: Contender, name: string, client: ClientUnderTest): Promise<boolean> {
  if (program === 'op-geth') return readFileSync(join(folder, name, 'op-geth.log'), 'utf8').includes(BODIES_BEGIN)
  const status = await client.call<false | { readonly stage?: string }>('eth_syncing')
  return status !== false && status.stage !== undefined && status.stage !== 'headers'
}

async function isAt({ engine }: ClientUnderTest, tip: PayloadEnvelope): Promise<boolean> {
  const { status } = await engine.forkchoiceUpdated({ head: tip.payload.blockHash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
  assert.notEqual(status.status, 'INVALID')
  return status.status === 'VALID'
}

async function assertSameHead(client: ClientUnderTest, source: ClientUnderTest): Promise<void> {
  const head = async ({ call }: ClientUnderTest) => {
    const { hash, stateRoot } = await call<{ readonly hash: string; readonly stateRoot: string }>('eth_getBlockByNumber', 'latest', false)
    return { hash, stateRoot }
  }
  assert.deepEqual(await head(client), await head(source))
}

async function measure(program: Contender, round: number, source: ClientUnderTest, tip: PayloadEnvelope): Promise<void> {
  const name = `${program}-${round}`
  const client = await start(program, name, source.enode)
  await eventually('a peer', async () => Number(await client.call('net_peerCount')) === 1)
  const use = () => [client, source].map(({ pid }) => useOf({ name, pid, folder: null }).cpuSec)
  const [before, startedMs] = [use(), performance.now()]
  const seconds = () => (performance.now() - startedMs) / 1000
  let headersSec = Number.NaN
  await client.engine.newPayload(tip.payload, tip.parentBeaconBlockRoot)
  await eventually(
    `${name} synced`,
    async () => {
      const over = await isAt(client, tip)
      if (Number.isNaN(headersSec) && (over || (await hasHeaders(program, name, client)))) headersSec = seconds()
      return over
    },
    LIMIT_MS,
  )
  const total = seconds()
  const [own, serving] = use().map((cpuSec, i) => cpuSec - (before[i] as number)) as [number, number]
  await assertSameHead(client, source)
  await client.kill()
  const cells = [
    program.padEnd(8),
    (blocks / headersSec).toFixed(0).padStart(9),
    (blocks / (total - headersSec)).toFixed(0).padStart(8),
    total.toFixed(1).padStart(7),
    own.toFixed(1).padStart(9),
    serving.toFixed(1).padStart(10),
  ]
  console.log(cells.join('  '))
}

try {
  console.log(machineLine(describeMachine()))
  const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
  await prepareNetwork(network, choice, 1_700_000_000_000, () => assert.fail('the default network is prebuilt'))
  const source = await start('Keelson', 'source', null)
  const tip = await buildChain(source, network, blocks, wideDeposits(network, transfers))
  console.log(`${blocks} blocks with ${transfers} transfers each\nclient    headers/s  blocks/s  seconds  CPU own s  CPU peer s`)
  const contenders: Contender[] = values['op-geth'] === undefined ? ['Keelson'] : ['Keelson', 'op-geth']
  for (let round = 1; round <= rounds; round++) for (const program of contenders) await measure(program, round, source, tip)
} finally {
  await Promise.all(opened.map((client) => client.kill()))
  await endAllKeelson()
  rmSync(folder, { recursive: true, force: true })
}
