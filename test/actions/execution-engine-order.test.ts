import assert from 'node:assert/strict'
import {
  type Block,
  blockToPayload,
  bytesToHex,
  type ExecutionPayload,
  executionPayloadToJson,
  type Hash,
  hashHeader,
  payloadAttributesToJson,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import fc from 'fast-check'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON answers of any shape
type Json = any

interface Node {
  readonly payload: ExecutionPayload
  readonly hash: Hash
  readonly parent: Hash
  readonly valid: boolean
}

const randao = (n: number): Hash => toHash(new Uint8Array(32).fill(n))

/** Genesis - a1 - a2 - a3, a1 - b2 - b3, genesis - c1; bad blocks on a1 and b2, each with a child. */
async function plantTree(): Promise<readonly Node[]> {
  const world = await createExecutionWorld()
  const nodes: Node[] = []
  let seed = 1
  const node = (block: Block, valid: boolean): Node => {
    const { payload } = blockToPayload(block, true)
    const made = { payload, hash: block.hash, parent: block.header.parentHash, valid }
    nodes.push(made)
    return made
  }
  const grow = async (parent: Hash): Promise<Block> => {
    const transfer = world.transfer(seed % 10, world.accounts[9]?.address ?? '0x', 1n, { nonce: 0n })
    const block = await world.mine({ parent, prevRandao: randao(seed++), transactions: seed > 4 ? [] : [transfer.raw], setHead: false })
    node(block, true)
    return block
  }
  const spoil = (block: Block, change: Partial<Block['header']>): Block => {
    const header = { ...block.header, mixHash: randao(seed++), ...change }
    return { ...block, header, hash: hashHeader(header) }
  }
  const a1 = await grow(world.genesis.hash)
  const a2 = await grow(a1.hash)
  const a3 = await grow(a2.hash)
  const b2 = await grow(a1.hash)
  const b3 = await grow(b2.hash)
  await grow(world.genesis.hash)
  const badRoot = spoil(a2, { stateRoot: randao(0xee) })
  const badGas = spoil(b3, { gasUsed: b3.header.gasUsed + 1n })
  for (const bad of [badRoot, badGas]) {
    node(bad, false)
    node(spoil(a3, { parentHash: bad.hash, number: bad.header.number + 1, timestampSec: bad.header.timestampSec + 2 }), false)
  }
  return nodes
}

type Call =
  | { readonly kind: 'newPayload'; readonly node: number }
  | { readonly kind: 'forkchoice'; readonly node: number; readonly safe: number | null; readonly build: 'no' | 'yes' | 'too-early' }
  | { readonly kind: 'getPayload'; readonly pick: number }

const NODES = 10
const CALL: fc.Arbitrary<Call> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('newPayload' as const), node: fc.nat({ max: NODES - 1 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('forkchoice' as const),
      node: fc.nat({ max: NODES - 1 }),
      safe: fc.option(fc.nat({ max: NODES - 1 }), { freq: 3 }),
      build: fc.constantFrom('no' as const, 'no' as const, 'yes' as const, 'too-early' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('getPayload' as const), pick: fc.nat() }) },
)

type Check = () => unknown

type Expected =
  | { readonly status: 'VALID' | 'INVALID'; readonly latestValidHash: Hash; readonly built?: boolean }
  | { readonly status: 'SYNCING' }
  | { readonly error: number }

class Model {
  readonly nodes: readonly Node[]
  readonly stored: Set<Hash>
  readonly invalid = new Map<Hash, Hash>()
  readonly genesis: Hash
  head: Hash
  safe: Hash

  constructor(nodes: readonly Node[], genesis: Hash) {
    this.nodes = nodes
    this.genesis = genesis
    this.stored = new Set([genesis])
    this.head = genesis
    this.safe = genesis
  }

  find(hash: Hash): Node | undefined {
    return this.nodes.find((node) => node.hash === hash)
  }

  line(from: Hash): Hash[] {
    const found: Hash[] = []
    for (let at: Hash | undefined = from; at !== undefined; at = this.find(at)?.parent) found.push(at)
    return found
  }

  newPayload({ hash, parent, valid }: Node): Expected {
    if (this.stored.has(hash)) return { status: 'VALID', latestValidHash: hash }
    const known = this.invalid.get(hash) ?? this.invalid.get(parent)
    if (known !== undefined) {
      this.invalid.set(hash, known)
      return { status: 'INVALID', latestValidHash: known }
    }
    if (!this.stored.has(parent)) return { status: 'SYNCING' }
    if (valid) {
      this.stored.add(hash)
      return { status: 'VALID', latestValidHash: hash }
    }
    this.invalid.set(hash, parent)
    return { status: 'INVALID', latestValidHash: parent }
  }

  forkchoice({ hash }: Node, safe: Node | null, build: 'no' | 'yes' | 'too-early'): Expected {
    if (!this.stored.has(hash)) {
      const known = this.invalid.get(hash)
      return known === undefined ? { status: 'SYNCING' } : { status: 'INVALID', latestValidHash: known }
    }
    const line = this.line(hash)
    if (safe !== null && !line.includes(safe.hash)) return { error: -38002 }
    this.head = hash
    this.safe = safe?.hash ?? (line.includes(this.safe) ? this.safe : (this.line(this.safe).find((old) => line.includes(old)) as Hash))
    if (build === 'too-early') return { error: -38003 }
    return { status: 'VALID', latestValidHash: hash, ...(build === 'yes' ? { built: true } : {}) }
  }
}

function open(counts: Map<string, number>): Promise<ExecutionWorld> {
  return createExecutionWorld({
    wrapEngine: (engine) => ({
      ...engine,
      open(view, env, rules, options) {
        const key = bytesToHex(env.prevRandao)
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return engine.open(view, env, rules, options)
      },
    }),
  })
}

function caller(world: ExecutionWorld) {
  return async (method: string, ...params: readonly unknown[]): Promise<Json> => {
    const context = { signal: new AbortController().signal, transport: 'http' as const }
    try {
      return JSON.parse(JSON.stringify(await world.node.engineMethods[method]?.(params, context)))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { error: error.number }
    }
  }
}

function judge(answer: Json, expected: Expected, what: string): void {
  if ('error' in expected) {
    assert.deepEqual(answer, expected, what)
    return
  }
  assert.equal(answer.error, undefined, what)
  const status = answer.payloadStatus ?? answer
  assert.equal(status.status, expected.status, what)
  assert.equal(status.latestValidHash, expected.status === 'SYNCING' ? null : expected.latestValidHash, what)
  if (answer.payloadStatus !== undefined) {
    assert.equal(answer.payloadId !== null, expected.status === 'VALID' && expected.built === true, what)
  }
}

describe('execution: the engine API in any order', () => {
  it('answers as if calls were sequential, keeps the resulting chain, and executes nothing twice', async () => {
    const nodes = await plantTree()
    assert.equal(nodes.length, NODES)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(CALL, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }), async (waves) => {
        const counts = new Map<string, number>()
        const world = await open(counts)
        const call = caller(world)
        const model = new Model(nodes, world.genesis.hash)
        const built: { readonly id: string; readonly randao: Hash; readonly parent: Hash }[] = []
        let attributesSeed = 100
        for (const wave of waves) {
          const running = wave.map((step): Promise<Check> => {
            if (step.kind === 'newPayload') {
              const node = nodes[step.node] as Node
              const expected = model.newPayload(node)
              const answer = call('engine_newPayloadV4', executionPayloadToJson(node.payload), [], ZERO_HASH, [])
              return answer.then((got) => () => judge(got, expected, `newPayload ${step.node}`))
            }
            if (step.kind === 'forkchoice') {
              const head = nodes[step.node] as Node
              const safe = step.safe === null ? null : (nodes[step.safe] as Node)
              const expected = model.forkchoice(head, safe, step.build)
              const prevRandao = randao(attributesSeed++)
              const timestampSec = head.payload.timestampSec + (step.build === 'yes' ? 2 : 0)
              const attributes = step.build === 'no' ? null : payloadAttributesToJson({ ...world.attributes(), prevRandao, timestampSec })
              const state = { headBlockHash: head.hash, safeBlockHash: safe?.hash ?? ZERO_HASH, finalizedBlockHash: ZERO_HASH }
              return call('engine_forkchoiceUpdatedV3', state, attributes).then((got) => () => {
                judge(got, expected, `forkchoice ${step.node}`)
                if (got.payloadId) built.push({ id: got.payloadId, randao: prevRandao, parent: head.hash })
              })
            }
            const target = built[step.pick % Math.max(1, built.length)]
            if (target === undefined)
              return call('engine_getPayloadV4', '0x0300000000000001').then((got) => () => assert.deepEqual(got, { error: -38001 }))
            const both = [call('engine_getPayloadV4', target.id), call('engine_getPayloadV4', target.id)]
            return Promise.all(both).then(([got, again]) => async () => {
              assert.equal(got.error, undefined)
              assert.deepEqual(again, got, 'the same payload each time')
              assert.equal(got.executionPayload.parentHash, target.parent)
              const status = await call('engine_newPayloadV4', got.executionPayload, [], ZERO_HASH, [])
              assert.equal(status.status, 'VALID')
            })
          })
          for (const check of await Promise.all(running)) await check()
        }
        const line = model.line(model.head)
        const { chain } = world.node
        assert.equal(chain.label('unsafe').hash, model.head)
        assert.equal(chain.label('safe').hash, model.safe)
        for (const [depth, hash] of line.entries()) assert.equal(chain.canonicalHash(line.length - 1 - depth), hash)
        assert.equal(chain.canonicalHash(line.length), null)
        for (const node of nodes) {
          const times = counts.get(node.payload.prevRandao) ?? 0
          assert.ok(times <= 1, `block executed ${times} times`)
          if (!node.valid && nodes.some(({ hash, valid }) => hash === node.parent && !valid)) assert.equal(times, 0, 'child of a bad block')
          assert.equal(chain.header(node.hash) !== null, model.stored.has(node.hash))
        }
        for (const { randao: key } of built) assert.equal(counts.get(key), 1, 'what was built is not executed again when it comes back')
        const again = await world.restart()
        assert.equal(again.node.chain.label('unsafe').hash, model.head)
        await again.stop()
      }),
      { numRuns: 25 },
    )
  })
})
