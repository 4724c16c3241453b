/**
 * Accounts a second of a snap sync between two processes over RLPx, on a state that deposits have made. The same chain is synced again
 * by a client that is killed on its way, and by op-geth, from the same peer. Compares roots, and proofs of some accounts.
 *   npm run build && node --import=tsx scripts/bench/sync/snap-processes.ts [--accounts N] [--blocks N] [--kills N] [--op-geth PATH] [--port N]
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareNetwork } from '@keelson/devnet'
import { bytesToHex, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { eventually } from '../../../test/support/eventually.ts'
import { buildChain } from '../../../test/support/execution-process.ts'
import { endAllKeelson } from '../../../test/support/keelson-process.ts'
import { useOf } from '../load/hardware/role-use.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { type ClientUnderTest, startKeelsonClient, startOpGeth } from './client-under-test.ts'
import { hashedAddress, wideDeposits } from './wide-chain.ts'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000000' },
    blocks: { type: 'string', default: '400' },
    kills: { type: 'string', default: '10' },
    'op-geth': { type: 'string' },
    port: { type: 'string', default: '23000' },
  },
})
const [accounts, blocks, kills, port] = [values.accounts, values.blocks, values.kills, values.port].map(Number) as [
  number,
  number,
  number,
  number,
]
const deposits = Math.ceil(accounts / blocks / 2)
/** The longest sync that is waited for. */
const LIMIT_MS = 1_800_000
const PROOFS = 50

const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-snap-processes-'))
const network = join(folder, 'network')
const opened: ClientUnderTest[] = []
let nextPort = port

const start = async (name: string, peer: string | null, opGeth = false) => {
  const options = { network, dataDir: join(folder, name), mode: peer === null ? 'full' : 'snap', port: nextPort, peer } as const
  nextPort += 6
  const client = opGeth ? await startOpGeth(values['op-geth'] as string, options) : await startKeelsonClient(options)
  opened.push(client)
  return client
}

/** Asks for the tip as a consensus client does, until it is the head and its state is served. */
async function synced(client: ClientUnderTest, tip: PayloadEnvelope): Promise<boolean> {
  await client.engine.newPayload(tip.payload, tip.parentBeaconBlockRoot)
  const { status } = await client.engine.forkchoiceUpdated({ head: tip.payload.blockHash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
  assert.notEqual(status.status, 'INVALID')
  if (status.status !== 'VALID') return false
  return client.call('eth_getBalance', bytesToHex(hashedAddress('sender', deposits)), 'latest').then(
    (balance) => balance === '0x1f4',
    () => false,
  )
}

async function assertEqualState(client: ClientUnderTest, source: ClientUnderTest): Promise<void> {
  const block = (from: ClientUnderTest) =>
    from.call<{ readonly hash: string; readonly stateRoot: string }>('eth_getBlockByNumber', 'latest', false)
  const [ours, theirs] = [await block(client), await block(source)]
  assert.deepEqual([ours.hash, ours.stateRoot], [theirs.hash, theirs.stateRoot])
  for (let i = 0; i < PROOFS; i++) {
    const address = bytesToHex(hashedAddress(i % 2 === 0 ? 'sender' : 'receiver', deposits + Math.floor((i * accounts) / 2 / PROOFS)))
    const proof = (from: ClientUnderTest) =>
      from
        .call<{ readonly accountProof: unknown; readonly balance: string }>('eth_getProof', address, [], 'latest')
        .then(({ accountProof, balance }) => ({ accountProof, balance }))
    assert.deepEqual(await proof(client), await proof(source), address)
  }
}

/** A client that has fetched the state, instead of executing all blocks, has no old state. */
async function assertNoOldState(client: ClientUnderTest): Promise<void> {
  await assert.rejects(client.call('eth_getBalance', bytesToHex(hashedAddress('sender', deposits)), '0x2'))
}

async function measure(name: string, client: ClientUnderTest, source: ClientUnderTest, tip: PayloadEnvelope): Promise<number> {
  const use = () => [client, source].map(({ pid }) => useOf({ name, pid, folder: null }))
  const [before, startedMs] = [use(), performance.now()]
  let peakBytes = 0
  await eventually(
    `${name} synced`,
    () => {
      peakBytes = Math.max(peakBytes, use()[0]?.residentBytes ?? 0)
      return synced(client, tip)
    },
    LIMIT_MS,
  )
  const seconds = (performance.now() - startedMs) / 1000
  const [own, serving] = use().map(({ cpuSec }, i) => cpuSec - (before[i]?.cpuSec ?? 0))
  await assertEqualState(client, source)
  await assertNoOldState(client)
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${Math.round(accounts / seconds)} accounts/s; processor time ${own?.toFixed(1)} s, of its peer ${serving?.toFixed(1)} s; at most ${Math.round(peakBytes / 2 ** 20)} MiB`,
  )
  return seconds * 1000
}

/** Kills it so often in about the time that a whole sync takes. */
async function killedOnItsWay(source: ClientUnderTest, tip: PayloadEnvelope, wholeMs: number): Promise<void> {
  let killed = 0
  for (; killed < kills; killed++) {
    const client = await start('killed', source.enode)
    const endMs = performance.now() + wholeMs / (kills + 1)
    let over = false
    while (!over && performance.now() < endMs) over = await synced(client, tip)
    const syncing = await client.call<false | { readonly stage?: string; readonly currentBlock: string }>('eth_syncing')
    await client.kill()
    console.log(`killed at ${syncing === false ? 'no sync' : `${syncing.stage}, block ${Number(syncing.currentBlock)}`}`)
    assert.ok(!over, `synced after ${killed} kills: give more accounts`)
  }
  await measure(`Keelson from Keelson after ${killed} kills`, await start('killed', source.enode), source, tip)
}

try {
  console.log(machineLine(describeMachine()))
  const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
  await prepareNetwork(network, choice, 1_700_000_000_000, () => assert.fail('the default network is prebuilt'))
  const source = await start('source', null)
  const startedMs = performance.now()
  const tip = await buildChain(source, network, blocks, wideDeposits(network, deposits))
  console.log(
    `chain: ${blocks} blocks, ${2 * blocks * deposits} accounts, built in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`,
  )
  const whole = await start('whole', source.enode)
  const wholeMs = await measure('Keelson from Keelson', whole, source, tip)
  await whole.kill()
  if (values['op-geth'] !== undefined) {
    const opGeth = await start('op-geth', source.enode, true)
    await measure('op-geth from Keelson', opGeth, source, tip)
    const fromOpGeth = await start('from-op-geth', opGeth.enode)
    await measure('Keelson from op-geth', fromOpGeth, opGeth, tip)
    await Promise.all([opGeth.kill(), fromOpGeth.kill()])
  }
  if (kills > 0) await killedOnItsWay(source, tip, wholeMs)
} finally {
  await Promise.all(opened.map((client) => client.kill()))
  await endAllKeelson()
  rmSync(folder, { recursive: true, force: true })
}
