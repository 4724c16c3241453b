import assert from 'node:assert/strict'
import {
  type EngineApi,
  EngineApiError,
  type ForkchoiceState,
  type Hash,
  type PayloadAttributes,
  type PayloadEnvelope,
  type PayloadId,
  type PayloadStatus,
  SEQUENCER_FEE_VAULT,
  toHash,
  type ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../../../test/support/rollup-config.ts'
import { createL2Refs } from '../../blocks/l2-refs.ts'
import { RESET_AT_START } from '../reset/reset-reason.ts'
import { createDriverTrace } from './driver-trace.ts'
import { EngineControl } from './engine-control.ts'

const GENESIS_SEC = 1_800_000_000
const L1_GENESIS = { hash: toHash(`0x${'a1'.repeat(32)}`), number: 0 }

function chain(length: number): PayloadEnvelope[] {
  const blocks: PayloadEnvelope[] = []
  for (let number = 0; number < length; number++) {
    const parentHash: Hash = blocks[number - 1]?.payload.blockHash ?? ZERO_HASH
    blocks.push(makePayload({ number, parentHash, timestampSec: GENESIS_SEC + 2 * number, l1Origin: L1_GENESIS, sequenceNumber: number }))
  }
  return blocks
}

const blocks = chain(6)
const genesis = blocks[0] as PayloadEnvelope
const refs = createL2Refs(
  makeRollupConfig({
    l1ChainId: 900n,
    l2ChainId: 84532n,
    l1Genesis: L1_GENESIS,
    l2Genesis: { hash: genesis.payload.blockHash, number: 0, timestampSec: GENESIS_SEC },
    batcher: '0x00000000000000000000000000000000000000b1' as typeof ZERO_ADDRESS,
    forks: JOVIAN_FROM_GENESIS,
  }),
  { payload: async () => null, messagePasserStorageRoot: async () => null },
)
const ref = (number: number) => refs.refOf(blocks[number] as PayloadEnvelope)
const attributes: PayloadAttributes = {
  timestampSec: GENESIS_SEC,
  prevRandao: ZERO_HASH,
  feeRecipient: SEQUENCER_FEE_VAULT,
  withdrawals: [],
  parentBeaconBlockRoot: ZERO_HASH,
  transactions: [],
  noTxPool: true,
  gasLimit: 1n,
  eip1559Params: null,
  minBaseFeeWei: null,
}

function scriptedEngine() {
  const forkchoices: ForkchoiceState[] = []
  const script = {
    forkchoice: { status: 'VALID', latestValidHash: ZERO_HASH } as PayloadStatus,
    payload: { status: 'VALID', latestValidHash: ZERO_HASH } as PayloadStatus,
    attributesInvalid: false,
    failure: null as Error | null,
  }
  const api: EngineApi = {
    async forkchoiceUpdated(state, withAttributes) {
      if (script.failure !== null) throw script.failure
      forkchoices.push(state)
      if (withAttributes !== null && script.attributesInvalid) {
        return { status: { status: 'INVALID', latestValidHash: null, reason: 'nonce too high' }, payloadId: null }
      }
      return { status: script.forkchoice, payloadId: withAttributes === null ? null : ('0x0000000000000001' as PayloadId) }
    },
    async getPayload() {
      throw script.failure ?? new EngineApiError('engine/unknown-payload', 'no such payload')
    },
    newPayload: async () => script.payload,
  }
  return { api, script, forkchoices }
}

async function ready(): Promise<{ control: EngineControl } & ReturnType<typeof scriptedEngine>> {
  const engine = scriptedEngine()
  const control = new EngineControl({
    engine: engine.api,
    refs,
    trace: createDriverTrace({ nowMs: () => 0 }),
    allowFinalizedReorg: false,
    onExecuted: () => undefined,
  })
  await control.adopt({ unsafe: ref(4), pendingSafe: ref(2), safe: ref(2), finalized: ref(1) }, RESET_AT_START)
  return { control, ...engine }
}

const numbers = (control: EngineControl) => {
  const { heads } = control
  return [heads?.finalized.number, heads?.safe.number, heads?.pendingSafe.number, heads?.unsafe.number]
}

describe('engine control', () => {
  it('rejects heads that are out of order', async () => {
    const { control } = await ready()
    assert.throws(() => control.promote(ref(5), true), { code: 'consensus/invariant', severity: 'critical' })
    assert.throws(() => control.finalize(ref(3), L1_GENESIS, L1_GENESIS), { code: 'consensus/invariant' })
    assert.deepEqual(numbers(control), [1, 2, 2, 4])
  })

  it('sends promotions to the engine once, on flush', async () => {
    const { control, forkchoices } = await ready()
    control.promote(ref(3), false)
    control.promote(ref(4), true)
    assert.equal(control.unflushed, 2)
    assert.equal(forkchoices.length, 1)
    await control.flush()
    await control.flush()
    assert.equal(forkchoices.length, 2)
    assert.equal(forkchoices[1]?.safe, ref(4).hash)
    assert.deepEqual(numbers(control), [1, 4, 4, 4])
  })

  it('reports a block as safe only after the execution client has received it', async () => {
    const { control } = await ready()
    const told = () => [control.told?.safe.number, control.told?.unsafe.number]
    await control.insertDerived(blocks[3] as PayloadEnvelope, true)
    assert.deepEqual(numbers(control), [1, 3, 3, 3])
    assert.deepEqual(told(), [2, 4])
    await control.flush()
    assert.deepEqual(told(), [3, 3])
  })

  it('sends the head of a late block with the next build', async () => {
    const { control, forkchoices } = await ready()
    assert.deepEqual(await control.insertLate(blocks[5] as PayloadEnvelope), { kind: 'inserted', block: ref(5) })
    assert.equal(forkchoices.length, 1)
    assert.deepEqual([control.heads?.unsafe.number, control.told?.unsafe.number], [5, 4])
    await control.startBuild(ref(5), attributes)
    assert.deepEqual(
      forkchoices.slice(1).map(({ head }) => head),
      [ref(5).hash],
    )
    assert.equal(control.told?.unsafe.number, 5)
  })

  it('keeps a span batch pending until it is complete or dropped', async () => {
    const { control } = await ready()
    control.promote(ref(3), false)
    assert.deepEqual(numbers(control), [1, 2, 3, 4])
    control.dropPendingSafe()
    assert.deepEqual(numbers(control), [1, 2, 2, 4])
  })

  it('returns invalid attributes as a value and restores the head', async () => {
    const { control, script, forkchoices } = await ready()
    script.attributesInvalid = true
    const started = await control.startBuild(ref(2), attributes)
    assert.deepEqual(started, { kind: 'invalid', reason: 'nonce too high' })
    assert.deepEqual(numbers(control), [1, 2, 2, 4])
    assert.equal(forkchoices.at(-1)?.head, ref(4).hash)
  })

  it('returns an invalid block as a value and keeps the heads', async () => {
    const { control, script } = await ready()
    script.payload = { status: 'INVALID', latestValidHash: null, reason: 'bad state root' }
    assert.deepEqual(await control.insertUnsafe(blocks[5] as PayloadEnvelope), { kind: 'invalid', reason: 'bad state root' })
    assert.deepEqual(numbers(control), [1, 2, 2, 4])
  })

  it('distinguishes a lost build from a failure', async () => {
    const { control, script } = await ready()
    assert.equal(await control.seal('0x0000000000000001' as PayloadId), null)
    script.failure = new Error('connection refused')
    await assert.rejects(control.seal('0x0000000000000001' as PayloadId), {
      code: 'consensus/engine-unavailable',
      severity: 'temporary',
    })
  })

  it('gives each failure its severity', async () => {
    const { control, script } = await ready()
    script.payload = { status: 'SYNCING' }
    await assert.rejects(control.insertUnsafe(blocks[5] as PayloadEnvelope), { code: 'consensus/engine-syncing', severity: 'reset' })
    script.payload = { status: 'VALID', latestValidHash: ZERO_HASH }
    script.failure = new EngineApiError('engine/invalid-forkchoice', 'safe is not an ancestor of head')
    await assert.rejects(control.insertUnsafe(blocks[5] as PayloadEnvelope), { code: 'consensus/engine-forkchoice', severity: 'reset' })
    script.failure = null
    script.forkchoice = { status: 'INVALID', latestValidHash: null, reason: 'bad ancestor' }
    await assert.rejects(control.insertUnsafe(blocks[5] as PayloadEnvelope), { code: 'consensus/engine-forkchoice', severity: 'reset' })
    assert.deepEqual(numbers(control), [1, 2, 2, 4])
  })

  it('makes a derived block unsafe and safe at once, dropping the blocks above', async () => {
    const { control } = await ready()
    await control.startBuild(ref(2), attributes)
    assert.deepEqual(numbers(control), [1, 2, 2, 2])
    await control.insertDerived(blocks[3] as PayloadEnvelope, true)
    assert.deepEqual(numbers(control), [1, 3, 3, 3])
  })
})
