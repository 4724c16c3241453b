/** What is remembered under the hash of a block, after somebody has lied about that block: the true block is taken all the same. */
import assert from 'node:assert/strict'
import type { EvmEngine } from '@keelson/evm'
import { type Block, type BuiltPayload, blockToPayload, type Hash, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const LABELS = { safe: ZERO_HASH, finalized: ZERO_HASH }
const WITHDRAWAL = { index: 0n, validatorIndex: 0n, address: ZERO_ADDRESS, amountGwei: 0n }

function payloadOf(block: Block) {
  const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
  return { payload, root: parentBeaconBlockRoot }
}

/** Says that every call costs one gas more while `broken`: the same block then has another result. */
function breakableEngine(): { broken: boolean; wrap: (engine: EvmEngine) => EvmEngine } {
  const fault = {
    broken: false,
    wrap: (engine: EvmEngine): EvmEngine => ({
      ...engine,
      open(view, env, rules, options) {
        const session = engine.open(view, env, rules, options)
        const call = session.call.bind(session)
        session.call = async (message) => {
          const result = await call(message)
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

describe('execution: what is remembered of a bad block', () => {
  it("a peer's extra withdrawal does not poison the memory of a block", async () => {
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

  it('a block that is bad stays bad, and so does what builds on it', async () => {
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

  it('a block that is sealed here is not judged by what is remembered of it', async () => {
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
