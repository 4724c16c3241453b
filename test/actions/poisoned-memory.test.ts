import assert from 'node:assert/strict'
import { type ForkTimes, forksAtGenesis } from '@keelson/chainspec'
import type { EvmEngine } from '@keelson/evm'
import {
  type Block,
  type BuiltPayload,
  blockToPayload,
  encodeBlock,
  executionPayloadToJson,
  type Hash,
  withdrawalToJson,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { payloadLies } from '../support/payload-lies.ts'
import { createWorld } from '../support/world.ts'

const FORKS: readonly (readonly [name: string, forks: ForkTimes | undefined])[] = [
  ['Regolith', { regolith: 0 }],
  ['Canyon', { regolith: 0, canyon: 0, delta: 0 }],
  ['Ecotone', { regolith: 0, canyon: 0, delta: 0, ecotone: 0 }],
  ['Isthmus', forksAtGenesis('isthmus')],
  ['Jovian', undefined],
]
const LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
const WITHDRAWAL = { index: 0n, validatorIndex: 0n, address: ZERO_ADDRESS, amountGwei: 0n }

function payloadOf(block: Block) {
  const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
  return { payload, root: parentBeaconBlockRoot }
}

function breakableEngine(): { broken: boolean; wrap: (engine: EvmEngine) => EvmEngine } {
  const fault = {
    broken: false,
    wrap: (engine: EvmEngine): EvmEngine => ({
      ...engine,
      open(view, env, rules, options) {
        const session = engine.open(view, env, rules, options)
        const call = session.call.bind(session)
        session.call = (message) => {
          const result = call(message)
          return fault.broken ? { ...result, gasLeft: result.gasLeft - 1n } : result
        }
        return session
      },
    }),
  }
  return fault
}

async function seal(world: ExecutionWorld, parent: Hash): Promise<BuiltPayload> {
  const { payloadId } = await world.engine.forkchoiceUpdated({ head: parent, ...LABELS }, world.attributes({ parent, noTxPool: true }))
  assert.ok(payloadId)
  return world.engine.getPayload(payloadId)
}

describe('execution: the cache of invalid blocks', () => {
  it("is not poisoned by a peer's extra withdrawal", async () => {
    const [from, to] = [await createExecutionWorld(), await createExecutionWorld()]
    const block = await from.mine()
    const { payload, root } = payloadOf(block)
    for (const withdrawals of [[WITHDRAWAL], null]) {
      const lie = await to.engine.newPayload({ ...payload, withdrawals }, root)
      assert.deepEqual(
        lie,
        {
          status: 'INVALID',
          latestValidHash: null,
          reason: `block 1: withdrawals: expected an empty list, got ${withdrawals?.length ?? 'none'}`,
        },
        'answered',
      )
      assert.deepEqual((await to.engine.forkchoiceUpdated({ head: block.hash, ...LABELS }, null)).status, { status: 'SYNCING' })
    }
    assert.deepEqual(await to.engine.newPayload(payload, root), { status: 'VALID', latestValidHash: block.hash })
  })

  for (const [fork, forks] of FORKS) {
    it(`accepts the true payload after any change of one field under ${fork}`, async () => {
      const given = forks === undefined ? {} : { forks }
      const [from, to] = [await createExecutionWorld(given), await createExecutionWorld(given)]
      const recipient = from.accounts[5]?.address ?? '0x'
      await from.mine({ transactions: [0, 1].map((i) => from.transfer(i, recipient, 1n).raw) })
      const truth = await from.l2Source.payload(1)
      assert.ok(truth)
      for (const { name, envelope } of payloadLies(truth)) {
        const answer = await to.engine.newPayload(envelope.payload, envelope.parentBeaconBlockRoot)
        assert.equal(answer.status, 'INVALID', name)
        const { status } = await to.engine.forkchoiceUpdated({ head: truth.payload.blockHash, ...LABELS }, null)
        assert.deepEqual(status, { status: 'SYNCING' }, name)
      }
      const valid = { status: 'VALID', latestValidHash: truth.payload.blockHash }
      assert.deepEqual(await to.engine.newPayload(truth.payload, truth.parentBeaconBlockRoot), valid)
    })
  }

  it('ignores lists that are passed in addition to a payload', async () => {
    const [from, to] = [await createExecutionWorld(), await createExecutionWorld()]
    const { payload, root } = payloadOf(await from.mine())
    const json = executionPayloadToJson(payload)
    const context = { signal: new AbortController().signal, transport: 'http' as const }
    const call = async (method: string, params: readonly unknown[]) => {
      const handler = to.node.engineMethods[method]
      assert.ok(handler)
      return ((await handler(params, context)) as { readonly status: string }).status
    }
    const status = (...params: readonly unknown[]) => call('engine_newPayloadV4', params)
    assert.equal(await status(json, [ZERO_HASH], root, []), 'INVALID', 'a blob hash')
    await assert.rejects(status(json, [], root, ['0x01aa']), /executionRequests/)
    assert.equal(await status(json, [], `0x${'6b'.repeat(32)}`, []), 'INVALID', 'another beacon root')
    await assert.rejects(call('engine_newPayloadV3', [json, [], root]), /newPayloadV4/)
    assert.equal(await status({ ...json, withdrawals: [withdrawalToJson(WITHDRAWAL)] }, [], root, []), 'INVALID', 'a withdrawal')
    await assert.rejects(status({ ...json, withdrawals: null }, [], root, []), /withdrawals/)
    assert.equal(await status(json, [], root, []), 'VALID')
  })

  it('rejects an exported block with withdrawals that its hash does not cover, and accepts the true one', async () => {
    const [from, to] = [await createExecutionWorld(), await createExecutionWorld()]
    const block = await from.mine()
    const lie = await to.node.importExported(encodeBlock({ ...block, withdrawals: [WITHDRAWAL] }))
    assert.equal(lie.kind, 'invalid')
    assert.deepEqual(await to.node.importExported(encodeBlock(block)), { kind: 'valid', imported: true })
  })

  it('keeps a block sealed here after a lie about it', async () => {
    const world = await createExecutionWorld()
    const built = await seal(world, world.genesis.hash)
    const { payload, parentBeaconBlockRoot: root } = built
    assert.equal((await world.engine.newPayload({ ...payload, withdrawals: [WITHDRAWAL] }, root)).status, 'INVALID')
    const valid = { status: 'VALID', latestValidHash: payload.blockHash }
    assert.deepEqual(await world.engine.newPayload(payload, root), valid)
    assert.deepEqual(world.node.chain.block(payload.blockHash)?.withdrawals, [])
  })

  it('keeps an invalid block and its descendants invalid', async () => {
    const fault = breakableEngine()
    const [from, to] = [await createExecutionWorld(), await createExecutionWorld({ wrapEngine: fault.wrap })]
    const [one, two, three] = [payloadOf(await from.mine()), payloadOf(await from.mine()), payloadOf(await from.mine())]
    fault.broken = true
    assert.equal((await to.engine.newPayload(one.payload, one.root)).status, 'INVALID')
    fault.broken = false
    for (const { payload, root } of [one, two, three]) {
      const status = await to.engine.newPayload(payload, root)
      assert.equal(status.status, 'INVALID', `block ${payload.blockNumber}`)
      assert.deepEqual((await to.engine.forkchoiceUpdated({ head: payload.blockHash, ...LABELS }, null)).status, status)
    }
  })

  it('does not apply to a block that is sealed here', async () => {
    const fault = breakableEngine()
    const [from, to] = [await createExecutionWorld(), await createExecutionWorld({ wrapEngine: fault.wrap })]
    const [one, two] = [payloadOf(await from.mine({ noTxPool: true })), payloadOf(await from.mine({ noTxPool: true }))]
    fault.broken = true
    for (const { payload, root } of [one, two]) assert.equal((await to.engine.newPayload(payload, root)).status, 'INVALID')
    fault.broken = false
    const built = await seal(to, to.genesis.hash)
    assert.equal(built.payload.blockHash, one.payload.blockHash, 'the very block that is remembered as bad')
    assert.deepEqual((await to.engine.forkchoiceUpdated({ head: built.payload.blockHash, ...LABELS }, null)).status, { status: 'SYNCING' })
    const valid = { status: 'VALID', latestValidHash: one.payload.blockHash }
    assert.deepEqual(await to.engine.newPayload(built.payload, built.parentBeaconBlockRoot), valid)
    assert.deepEqual((await to.engine.forkchoiceUpdated({ head: one.payload.blockHash, ...LABELS }, null)).status, valid)
    const next = await to.engine.newPayload(two.payload, two.root)
    assert.deepEqual(next, { status: 'VALID', latestValidHash: two.payload.blockHash }, 'nor is what builds on it')
  })
})

describe('consensus: the cache of rejected blocks', () => {
  it('does not prevent the derivation of a block that the execution client rejected from a peer', async () => {
    const world = await createWorld()
    let refuses = true
    const follower = await world.addFollower('follower', {
      wire: (real) => ({
        ...real,
        engine: {
          ...real.engine,
          forkchoiceUpdated: (...call) => real.engine.forkchoiceUpdated(...call),
          getPayload: (id) => real.engine.getPayload(id),
          newPayload: async (...call) =>
            refuses ? { status: 'INVALID', latestValidHash: null, reason: 'it refuses everything' } : real.engine.newPayload(...call),
        },
      }),
    })
    await world.advance(4)
    assert.equal(follower.log.matching('dropped an invalid unsafe block').length, 1)
    assert.equal(follower.heads().unsafe, 0)
    refuses = false
    await world.advance(2)
    assert.equal(follower.heads().unsafe, 0, 'it and what builds on it are remembered')
    await world.batch()
    await world.advance(8)
    assert.deepEqual(follower.heads(), world.sequencer.heads())
    assert.ok(follower.heads().safe > 0)
    for (let number = 1; number <= follower.heads().unsafe; number++) {
      assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
    }
    await world.stop()
  })
})
