import { parseExecutionPayloadJson, payloadHash, toHash } from '@keelson/primitives'
import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import { type EngineAnswer, engineCall, engineResult, type Token } from '../engine-call.ts'
import type { MixedNode } from '../mixed-node.ts'
import type { Row } from '../row.ts'
import { heads, waitSafe } from '../same-chain.ts'
import { setBatching, type World } from '../world.ts'
import { nothingPending } from './batches.ts'

const TIMEOUT_MS = 120_000
const FEWEST_BLOCKS = 8
const BLOCK_TIME_SEC = 2
const NOWHERE = `0x${'ab'.repeat(32)}`
const ZERO = `0x${'00'.repeat(32)}`
const SEQUENCER_FEE_VAULT = '0x4200000000000000000000000000000000000011'

type Json = Readonly<Record<string, unknown>>

interface Scene {
  readonly head: Json & { readonly hash: string; readonly parentHash: string; readonly timestamp: string; readonly gasLimit: string }
  readonly attributes: Json
  readonly next: Json
}

interface Probe {
  readonly name: string
  readonly method: string
  readonly params: (scene: Scene) => readonly unknown[]
  readonly token?: Token
}

const forkchoice = ({ head }: Scene, changes: Json = {}): Json => ({
  headBlockHash: head.hash,
  safeBlockHash: ZERO,
  finalizedBlockHash: ZERO,
  ...changes,
})

function rehashed({ next }: Scene, changes: Json): Json {
  const changed = { ...next, ...changes }
  return { ...changed, blockHash: payloadHash(parseExecutionPayloadJson(changed), toHash(ZERO)) }
}

const without = (json: Json, key: string): Json => Object.fromEntries(Object.entries(json).filter(([name]) => name !== key))

const updated = (name: string, version: number, params: Probe['params']): Probe => ({
  name: `forkchoiceUpdatedV${version}: ${name}`,
  method: `engine_forkchoiceUpdatedV${version}`,
  params,
})

const payload = (name: string, version: number, params: Probe['params']): Probe => ({
  name: `newPayloadV${version}: ${name}`,
  method: `engine_newPayloadV${version}`,
  params,
})

const PROBES: readonly Probe[] = [
  ...(['none', 'of another secret', 'two minutes old'] as const).map((token) => ({
    name: `token: ${token}`,
    method: 'engine_exchangeCapabilities',
    params: () => [[]],
    token,
  })),
  { name: 'a method that there is not', method: 'engine_noSuchMethod', params: () => [] },
  { name: 'getPayloadV3: an unknown id', method: 'engine_getPayloadV3', params: () => ['0x0301020304050607'] },
  { name: 'getPayloadV3: no id', method: 'engine_getPayloadV3', params: () => [] },
  { name: 'getPayloadV3: an id too short', method: 'engine_getPayloadV3', params: () => ['0x0301'] },
  updated('a head that is not known', 3, (scene) => [forkchoice(scene, { headBlockHash: NOWHERE }), null]),
  updated('a safe block that is not known', 3, (scene) => [forkchoice(scene, { safeBlockHash: NOWHERE }), null]),
  updated('a finalized block that is not known', 3, (scene) => [forkchoice(scene, { finalizedBlockHash: NOWHERE }), null]),
  updated('a head of zeros', 3, (scene) => [forkchoice(scene, { headBlockHash: ZERO }), null]),
  updated('attributes without gasLimit', 3, (scene) => [forkchoice(scene), without(scene.attributes, 'gasLimit')]),
  updated('attributes without a beacon root', 3, (scene) => [forkchoice(scene), without(scene.attributes, 'parentBeaconBlockRoot')]),
  updated('attributes without withdrawals', 3, (scene) => [forkchoice(scene), without(scene.attributes, 'withdrawals')]),
  updated("attributes of the head's time", 3, (scene) => [forkchoice(scene), { ...scene.attributes, timestamp: scene.head.timestamp }]),
  updated('attributes with a transaction that cannot be read', 3, (scene) => [
    forkchoice(scene),
    { ...scene.attributes, transactions: ['0x7e00'] },
  ]),
  updated('attributes of V3', 2, (scene) => [forkchoice(scene), scene.attributes]),
  updated('attributes of V2 at the time of V3', 2, (scene) => [forkchoice(scene), without(scene.attributes, 'parentBeaconBlockRoot')]),
  updated('attributes of V3', 1, (scene) => [forkchoice(scene), scene.attributes]),
  updated('no parameters', 3, () => []),
  payload('the block as it is', 3, (scene) => [scene.next, [], ZERO]),
  payload('a wrong block hash', 3, (scene) => [{ ...scene.next, blockHash: NOWHERE }, [], ZERO]),
  payload('a parent that is not known', 3, (scene) => [rehashed(scene, { parentHash: NOWHERE }), [], ZERO]),
  payload('a wrong state root', 3, (scene) => [rehashed(scene, { stateRoot: NOWHERE }), [], ZERO]),
  payload('a wrong number', 3, (scene) => [rehashed(scene, { blockNumber: '0xffff' }), [], ZERO]),
  payload('blob hashes that it has not', 3, (scene) => [scene.next, [NOWHERE], ZERO]),
  payload('no beacon root', 3, (scene) => [scene.next, [], null]),
  payload('no blob hashes', 3, (scene) => [scene.next, null, ZERO]),
  payload('without blobGasUsed', 3, (scene) => [without(scene.next, 'blobGasUsed'), [], ZERO]),
  payload('without withdrawals', 3, (scene) => [without(scene.next, 'withdrawals'), [], ZERO]),
  payload('a block of V3', 2, (scene) => [scene.next]),
  payload('a block of V3', 1, (scene) => [scene.next]),
  payload('a block of V3', 4, (scene) => [scene.next, [], ZERO, []]),
  payload('without a payload', 3, () => [null, [], ZERO]),
  ...[
    ['0x1', '0x401'],
    ['0x0', '0x1'],
    ['0x1', '0x0'],
    ['0xffffff', '0x1'],
    ['0x1', '0x2'],
  ].map((params) => ({
    name: `getPayloadBodiesByRangeV1: ${params.join(', ')}`,
    method: 'engine_getPayloadBodiesByRangeV1',
    params: () => params,
  })),
  {
    name: 'getPayloadBodiesByHashV1: one known, one not',
    method: 'engine_getPayloadBodiesByHashV1',
    params: ({ head }) => [[head.hash, NOWHERE]],
  },
]

function reduced(answer: EngineAnswer): string {
  if (answer.kind === 'http') return `HTTP ${answer.status}`
  if (answer.kind === 'error') return `error ${answer.code}`
  return JSON.stringify(answer.result, (key, value) => {
    if (key === 'validationError' || (key === 'witness' && value === null)) return undefined
    if (key === 'payloadId') return value === null ? null : 'an id'
    return value
  }).slice(0, 300)
}

interface KnownDifference {
  readonly theirs: string
  readonly ours: RegExp
}

const KNOWN: Readonly<Record<string, KnownDifference>> = {
  // The specification requires INVALID.
  'forkchoiceUpdatedV3: attributes with a transaction that cannot be read': { theirs: 'error -32000', ours: /"status":"INVALID"/ },
  // op-geth checks the fields first, our node the time, for which the specification defines -38005.
  'newPayloadV2: a block of V3': { theirs: 'error -32602', ours: /^error -38005$/ },
  'newPayloadV1: a block of V3': { theirs: 'error -32602', ours: /^error -38005$/ },
  // op-geth implements a draft of V4 without requests.
  'newPayloadV4: a block of V3': { theirs: 'error -32602', ours: /^error -38005$/ },
}

export const engineAnswers: Row = {
  what: `engine API: ${PROBES.length} questions, wrong ones among them, are answered alike by op-geth and ours`,
  needs: ['op-geth'],
  async run(world) {
    const [theirs, ours] = await sameHeads(world)
    const scene = await sceneOf(theirs)
    const problems: string[] = []
    for (const { name, method, params, token } of PROBES) {
      const [a, b] = await Promise.all([theirs, ours].map(({ engine }) => engineCall(engine, method, params(scene), token)))
      const [said, own] = [reduced(a as EngineAnswer), reduced(b as EngineAnswer)]
      const known = KNOWN[name]
      if (known === undefined ? said === own : said === known.theirs && known.ours.test(own)) continue
      problems.push(`${name}: op-geth answers ${said}, ours ${own}`)
    }
    if (problems.length > 0) throw new Error(problems.join('; '))
  },
}

export const samePayload: Row = {
  what: 'engine API: from the same attributes op-geth and ours build the same block, key for key',
  needs: ['op-geth'],
  async run(world) {
    const [theirs, ours] = await sameHeads(world)
    const { head, attributes } = await sceneOf(theirs)
    const [a, b] = await Promise.all([theirs, ours].map((node) => build(node, head.hash, attributes)))
    const keys = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])
    const differing = [...keys].filter((key) => JSON.stringify(a?.[key] ?? null) !== JSON.stringify(b?.[key] ?? null))
    if (differing.length > 0) {
      throw new Error(differing.map((key) => `${key}: op-geth ${JSON.stringify(a?.[key])}, ours ${JSON.stringify(b?.[key])}`).join('; '))
    }
  },
}

async function sameHeads(world: World): Promise<readonly [MixedNode, MixedNode]> {
  const [theirs, ours] = await Promise.all([world.node('ours on op-geth'), world.node('ours on ours')])
  await Promise.all([theirs, ours].map((node) => node.run({ peers: null, sequencer: false })))
  const known = Math.max(FEWEST_BLOCKS, ...(await Promise.all([theirs, ours].map(latest))).map(({ number }) => number))
  await waitSafe(world.sequencer, known, TIMEOUT_MS)
  await setBatching(world, false)
  try {
    await eventually(
      'op-geth and ours having one head',
      async () => {
        const [a, b] = await Promise.all([theirs, ours].map(latest))
        return a !== undefined && a.number >= known && a.hash === b?.hash && (await isAtRest(world, theirs, a.number))
      },
      TIMEOUT_MS,
    )
    await Promise.all([theirs, ours].map((node) => node.pause()))
  } finally {
    await setBatching(world, true)
  }
  return [theirs, ours]
}

async function isAtRest(world: World, node: MixedNode, number: number): Promise<boolean> {
  await nothingPending(world)
  const [sequencer, derived] = await Promise.all([heads(world.sequencer), heads(node)])
  return sequencer.safe === number && derived.safe === number
}

async function latest({ rpcUrl }: MixedNode): Promise<{ readonly number: number; readonly hash: string }> {
  const block = await rpcCall<{ number: string; hash: string }>(rpcUrl, 'eth_getBlockByNumber', ['latest', false])
  return { number: Number(block.number), hash: block.hash }
}

async function sceneOf(node: MixedNode): Promise<Scene> {
  const head = await rpcCall<Scene['head']>(node.rpcUrl, 'eth_getBlockByNumber', ['latest', false])
  const [body] = await engineResult<readonly { readonly transactions: readonly string[] }[]>(
    node.engine,
    'engine_getPayloadBodiesByHashV1',
    [[head.hash]],
  )
  const attributes = {
    timestamp: `0x${(Number(head.timestamp) + BLOCK_TIME_SEC).toString(16)}`,
    prevRandao: NOWHERE,
    suggestedFeeRecipient: SEQUENCER_FEE_VAULT,
    withdrawals: [],
    parentBeaconBlockRoot: ZERO,
    transactions: [body?.transactions[0]],
    noTxPool: true,
    gasLimit: head.gasLimit,
    ...((head.extraData as string) === '0x' ? {} : { eip1559Params: '0x0000000000000000' }),
  }
  return { head, attributes, next: await build(node, head.hash, attributes) }
}

async function build({ engine, name }: MixedNode, head: string, attributes: Json): Promise<Json> {
  const state = { headBlockHash: head, safeBlockHash: ZERO, finalizedBlockHash: ZERO }
  const { payloadId } = await engineResult<{ payloadId: string | null }>(engine, 'engine_forkchoiceUpdatedV3', [state, attributes])
  if (payloadId === null) throw new Error(`${name} does not build upon ${head}`)
  const { executionPayload } = await engineResult<{ executionPayload: Json }>(engine, 'engine_getPayloadV3', [payloadId])
  return executionPayload
}
