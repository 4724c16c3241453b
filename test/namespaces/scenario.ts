/** Four clients sync from a fifth over bad links, half of them are cut off on their way, and all have the same chain at the end. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { L1_BLOCK, L1_INFO_DEPOSITOR, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { eventually } from '../support/eventually.ts'
import { buildChain, type DepositsOf, depositOf, type ExecutionProcess, startExecution } from '../support/execution-process.ts'
import { assertNobodyBlamed } from './blame.ts'
import { FIRST_PORT, hubAddress, type Lab, type LinkShape, nodeAddress, relayPort } from './lab.ts'

export interface World {
  readonly lab: Lab
  readonly link: LinkShape
  readonly network: string
  readonly folder: string
  readonly blocks: number
  readonly say: (line: string) => void
}

type Nodes = ReadonlyMap<number, ExecutionProcess>

/** The source is 1. */
export const MODES = ['full', 'full', 'snap', 'full', 'snap'] as const
const SIDES: readonly (readonly number[])[] = [
  [1, 2, 3],
  [4, 5],
]
const FAR_SIDE = SIDES[1] as readonly number[]
const MORE_BLOCKS = 100
const LIMIT_MS = 300_000
const FILLING_BYTES = 1_500

/** Bytes that do not compress, so that the transfer takes a while on slow links. */
const filled: DepositsOf = (number) => [depositOf(number, randomBytes(FILLING_BYTES))]

export async function runScenario(world: World): Promise<void> {
  const { lab, link, network, blocks, say } = world
  const nodes = await startNodes(world)
  const source = at(nodes, 1)
  const tip = await buildChain(source, network, blocks, filled)
  lab.shape(link)
  await connect(nodes)
  await untilPeers(nodes, () => nodes.size - 1)
  say(`${nodes.size} clients are connected; ${MODES.join(', ')} sync of ${blocks} blocks begins`)

  const followers = [...nodes.keys()].slice(1)
  const reach = followersOf(nodes)
  await eventually(
    'all headers at the clients that will be cut off',
    async () => {
      await Promise.all(followers.map((node) => reach.ask(node, tip)))
      return (await Promise.all(FAR_SIDE.map((node) => isPastHeaders(at(nodes, node))))).every((past) => past)
    },
    LIMIT_MS,
  )
  lab.shape(link, SIDES)
  say(`${FAR_SIDE.join(' and ')} have all headers and are cut off`)
  for (const node of FAR_SIDE) assert.equal(await reach.ask(node, tip), 'SYNCING', 'all was fetched before the cut: --blocks is too low')
  const near = followers.filter((node) => !FAR_SIDE.includes(node))
  say(`${near.join(' and ')} have the chain ${await timed(() => reach.head(near, tip))} s after the cut`)
  const newTip = await buildChain(source, network, MORE_BLOCKS, filled, tip)
  await reach.head(near, newTip)
  await untilPeers(nodes, (node) => (SIDES.find((side) => side.includes(node)) as readonly number[]).length - 1)
  for (const node of FAR_SIDE) assert.equal(await reach.ask(node, newTip), 'SYNCING')
  say(`${MORE_BLOCKS} blocks later no client counts one of the other side as a peer; the cut ends`)

  lab.shape(link)
  const [peersSec, headsSec] = await Promise.all([
    timed(() => untilPeers(nodes, () => nodes.size - 1)),
    timed(() => reach.head(followers, newTip)),
  ])
  say(`all are connected again after ${peersSec} s, and have the chain after ${headsSec} s`)
  for (const node of followers) await assertSameState(at(nodes, node), source, node)
  for (const [node, { metrics }] of nodes) say(`client ${node}: ${assertNobodyBlamed(await metrics(), node)}`)
}

const at = (nodes: Nodes, node: number) => nodes.get(node) as ExecutionProcess

async function startNodes({ lab, network, folder }: World): Promise<Nodes> {
  const started = lab.nodes.map(async (node) => {
    const execution = await startExecution({
      network,
      dataDir: join(folder, String(node)),
      port: FIRST_PORT,
      host: nodeAddress(node),
      through: ['ip', 'netns', 'exec', lab.namespace(node)],
      args: [...['--rpc.trusted', `${hubAddress}/32`, '--p2p.discovery=false'], ...['--syncmode', MODES[node - 1] as string]],
    })
    return [node, execution] as const
  })
  return new Map(await Promise.all(started))
}

/** The lower number dials. The other side does not know it by name, so that it may ban it. */
async function connect(nodes: Nodes): Promise<void> {
  for (const [from, { call }] of nodes)
    for (const [to, { enode }] of nodes)
      if (from < to) await call('admin_addPeer', `${enode.slice(0, enode.indexOf('@'))}@${hubAddress}:${relayPort(from, to)}`)
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now()
  await work()
  return ((performance.now() - began) / 1000).toFixed(1)
}

async function isPastHeaders({ call }: ExecutionProcess): Promise<boolean> {
  const status = await call<false | { readonly stage?: string }>('eth_syncing')
  return status !== false && status.stage !== undefined && status.stage !== 'headers'
}

/** Names the tip to clients as a consensus client does. */
function followersOf(nodes: Nodes) {
  const ask = async (node: number, { payload, parentBeaconBlockRoot }: PayloadEnvelope): Promise<string> => {
    const { engine } = at(nodes, node)
    await engine.newPayload(payload, parentBeaconBlockRoot)
    const { status } = await engine.forkchoiceUpdated({ head: payload.blockHash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
    assert.notEqual(status.status, 'INVALID')
    return status.status
  }
  return {
    ask,
    async head(which: readonly number[], tip: PayloadEnvelope): Promise<void> {
      const valid = (node: number) => eventually(`client ${node} at the tip`, async () => (await ask(node, tip)) === 'VALID', LIMIT_MS)
      await Promise.all(which.map(valid))
    },
  }
}

async function untilPeers(nodes: Nodes, expected: (node: number) => number): Promise<void> {
  const reached = async ([node, { call }]: readonly [number, ExecutionProcess]) =>
    eventually(`client ${node} with ${expected(node)} peers`, async () => Number(await call('net_peerCount')) === expected(node), LIMIT_MS)
  await Promise.all([...nodes].map(reached))
}

async function assertSameState(follower: ExecutionProcess, source: ExecutionProcess, node: number): Promise<void> {
  for (const [method, ...params] of [
    ['eth_getBlockByNumber', 'latest', true],
    ['eth_getBlockByNumber', '0x1', true],
    ['eth_getBlockReceipts', 'latest'],
    ['eth_getProof', L1_BLOCK, ['0x0'], 'latest'],
    ['eth_getProof', L1_INFO_DEPOSITOR, [], 'latest'],
  ] as const)
    assert.deepEqual(await follower.call(method, ...params), await source.call(method, ...params), `client ${node}: ${method} ${params[0]}`)
}
