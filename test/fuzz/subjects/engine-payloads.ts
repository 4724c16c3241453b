/** Only the original block is VALID, and the node keeps working. */
import assert from 'node:assert/strict'
import {
  type ExecutionPayload,
  executionPayloadToJson,
  forkchoiceStateToJson,
  type PayloadEnvelope,
  parseExecutionPayloadJson,
  payloadAttributesToJson,
  payloadHash,
  ZERO_HASH,
} from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { changeJson, type JsonChange, jsonChange } from '../mutate.ts'
import { refundOf } from '../refund.ts'
import { assertAnswer, createRpcWorld } from '../rpc-world.ts'
import { defineSubject } from '../subject.ts'

interface Case {
  readonly kind: 'payload' | 'resealed' | 'forkchoice' | 'call'
  readonly changes: readonly JsonChange[]
  readonly version: number
}

const STATUSES = ['VALID', 'INVALID', 'SYNCING', 'ACCEPTED']
const PROOF_OF_LIFE_EVERY = 200

export const enginePayloadSubject = defineSubject<Case>({
  name: 'engine-payloads',
  cases: 20_000,
  caseLimitMs: 20_000,
  async open() {
    const { world, send } = await createRpcWorld('engine')
    let cases = 0
    let candidate = await nextBlock()

    async function nextBlock(): Promise<PayloadEnvelope> {
      const tx = world.transfer(1, `0x${'22'.repeat(20)}`, 5n)
      const { hash: head, header } = world.node.chain.label('unsafe')
      const attributes = world.attributes({ transactions: [tx.raw, refundOf(header.number + 1, 1).raw] })
      const { payloadId } = await world.engine.forkchoiceUpdated({ head, safe: ZERO_HASH, finalized: ZERO_HASH }, attributes)
      assert.ok(payloadId !== null)
      return world.engine.getPayload(payloadId)
    }

    async function proveLife(): Promise<void> {
      const { payload, parentBeaconBlockRoot } = candidate
      assert.equal((await world.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
      const moved = await world.engine.forkchoiceUpdated({ head: payload.blockHash, safe: ZERO_HASH, finalized: payload.parentHash }, null)
      assert.equal(moved.status.status, 'VALID')
      assert.equal(world.node.chain.label('unsafe').hash, payload.blockHash)
      await world.node.settled()
      candidate = await nextBlock()
    }

    const call = async (method: string, params: unknown) => {
      const text = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      assertAnswer(text)
      return JSON.parse(text ?? '{}') as { result?: { status?: string; payloadStatus?: { status: string } }; error?: object }
    }

    async function checkPayload(value: Case): Promise<void> {
      const original = executionPayloadToJson(candidate.payload)
      const changed = value.changes.reduce(changeJson, original as unknown)
      const payload = readPayload(changed)
      const sent = value.kind === 'resealed' && payload !== null ? executionPayloadToJson(reseal(payload, candidate)) : changed
      const answer = await call(`engine_newPayloadV${value.version}`, [sent, [], candidate.parentBeaconBlockRoot, []])
      if (answer.result === undefined) return
      assert.ok(STATUSES.includes(answer.result.status as string))
      if (answer.result.status !== 'VALID' || value.kind === 'resealed') return
      assert.ok(payload !== null)
      const known = payload.blockHash === candidate.payload.blockHash ? candidate.payload : null
      if (known === null) assert.notEqual(world.node.chain.block(payload.blockHash), null)
      else assert.deepEqual(executionPayloadToJson(payload), executionPayloadToJson(known))
    }

    const kind: Arbitrary<Case['kind']> = fc.constantFrom('payload', 'payload', 'resealed', 'resealed', 'forkchoice', 'call')
    return {
      arbitrary: fc.record({
        kind,
        changes: fc.array(jsonChange, { minLength: 1, maxLength: 2 }),
        version: fc.constantFrom(4, 4, 4, 4, 4, 4, 3, 2, 1),
      }),
      async check(value) {
        if (value.kind === 'payload' || value.kind === 'resealed') await checkPayload(value)
        else {
          const state = forkchoiceStateToJson({ head: candidate.payload.parentHash, safe: ZERO_HASH, finalized: ZERO_HASH })
          const params = [state, payloadAttributesToJson(world.attributes())]
          const changed = value.changes.reduce(changeJson, (value.kind === 'call' ? ['0x01', params] : params) as unknown)
          const method = value.kind === 'call' ? methodFor(value) : `engine_forkchoiceUpdatedV${Math.min(value.version, 3)}`
          await call(method, Array.isArray(changed) ? changed : [changed])
        }
        if (++cases % PROOF_OF_LIFE_EVERY === 0) await proveLife()
      },
      async close() {
        await proveLife()
        await world.stop()
      },
    }
  },
})

const OTHER_METHODS = [
  'engine_getPayloadV3',
  'engine_getPayloadV4',
  'engine_getPayloadBodiesByHashV1',
  'engine_getPayloadBodiesByRangeV1',
  'engine_exchangeCapabilities',
  'engine_getClientVersionV1',
  'miner_setMaxDASize',
]

function methodFor({ changes }: Case): string {
  return OTHER_METHODS[(changes[0]?.at ?? 0) % OTHER_METHODS.length] as string
}

function readPayload(json: unknown): ExecutionPayload | null {
  try {
    return parseExecutionPayloadJson(json)
  } catch {
    return null
  }
}

function reseal(payload: ExecutionPayload, { parentBeaconBlockRoot }: PayloadEnvelope): ExecutionPayload {
  try {
    return { ...payload, blockHash: payloadHash(payload, parentBeaconBlockRoot) }
  } catch {
    return payload
  }
}
