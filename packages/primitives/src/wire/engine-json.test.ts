import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ExecutionPayload, PayloadAttributes, PayloadId, PayloadStatus } from '../engine/engine-api.ts'
import { CodecError } from '../errors.ts'
import { toAddress, toHash } from '../hex.ts'
import {
  builtPayloadToJson,
  executionPayloadToJson,
  forkchoiceResultToJson,
  forkchoiceStateToJson,
  parseBuiltPayloadJson,
  parseExecutionPayloadJson,
  parseForkchoiceResultJson,
  parseForkchoiceStateJson,
  parsePayloadAttributesJson,
  parsePayloadId,
  parsePayloadStatusJson,
  payloadAttributesToJson,
  payloadStatusToJson,
} from './engine-json.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash)
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toAddress)
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const transactions = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 3 })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const withdrawals = fc.array(fc.record({ index: u64, validatorIndex: u64, address, amountGwei: u64 }, { noNullPrototype: true }), {
  maxLength: 2,
})

const attributes: fc.Arbitrary<PayloadAttributes> = fc.record(
  {
    timestampSec: fc.maxSafeNat(),
    prevRandao: hash,
    feeRecipient: address,
    withdrawals: orNull(withdrawals),
    parentBeaconBlockRoot: orNull(hash),
    transactions,
    noTxPool: fc.boolean(),
    gasLimit: u64,
    eip1559Params: orNull(fc.uint8Array({ minLength: 8, maxLength: 8 })),
    minBaseFeeWei: orNull(u64),
  },
  { noNullPrototype: true },
)

const payload: fc.Arbitrary<ExecutionPayload> = fc.record(
  {
    parentHash: hash,
    feeRecipient: address,
    stateRoot: hash,
    receiptsRoot: hash,
    logsBloom: fc.uint8Array({ minLength: 256, maxLength: 256 }),
    prevRandao: hash,
    blockNumber: fc.maxSafeNat(),
    gasLimit: u64,
    gasUsed: u64,
    timestampSec: fc.maxSafeNat(),
    extraData: fc.uint8Array({ maxLength: 32 }),
    baseFeeWei: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
    blockHash: hash,
    transactions,
    withdrawals: orNull(withdrawals),
    blobGasUsed: orNull(u64),
    excessBlobGas: orNull(u64),
    withdrawalsRoot: orNull(hash),
  },
  { noNullPrototype: true },
)

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const SAMPLE = fc.sample(attributes, { numRuns: 1, seed: 3 })[0] as PayloadAttributes

describe('engine API as JSON', () => {
  it('carries attributes without loss', () => {
    fc.assert(
      fc.property(attributes, (value) => assert.deepEqual(parsePayloadAttributesJson(overTheWire(payloadAttributesToJson(value))), value)),
    )
  })

  it('carries payloads without loss, in every version of the answer', () => {
    fc.assert(
      fc.property(payload, orNull(hash), u64, fc.integer({ min: 3, max: 5 }), (value, parentBeaconBlockRoot, blockValueWei, version) => {
        assert.deepEqual(parseExecutionPayloadJson(overTheWire(executionPayloadToJson(value))), value)
        const built = { payload: value, parentBeaconBlockRoot, blockValueWei }
        assert.deepEqual(parseBuiltPayloadJson(overTheWire(builtPayloadToJson(built, version))), built)
        assert.deepEqual(parseBuiltPayloadJson(overTheWire(builtPayloadToJson(built, 2))), { ...built, parentBeaconBlockRoot: null })
        assert.deepEqual(parseBuiltPayloadJson(overTheWire(builtPayloadToJson(built, 1))), {
          payload: value,
          parentBeaconBlockRoot: null,
          blockValueWei: 0n,
        })
      }),
    )
  })

  it('names the fields as execution-apis and the OP specification do', () => {
    const full: PayloadAttributes = {
      ...SAMPLE,
      withdrawals: [],
      parentBeaconBlockRoot: SAMPLE.prevRandao,
      eip1559Params: new Uint8Array(8),
      minBaseFeeWei: 1_000_000n,
      gasLimit: 30_000_000n,
    }
    const json = payloadAttributesToJson(full)
    assert.deepEqual(Object.keys(json).sort(), [
      'eip1559Params',
      'gasLimit',
      'minBaseFee',
      'noTxPool',
      'parentBeaconBlockRoot',
      'prevRandao',
      'suggestedFeeRecipient',
      'timestamp',
      'transactions',
      'withdrawals',
    ])
    assert.equal(json.gasLimit, '0x1c9c380')
    assert.equal(json.minBaseFee, 1_000_000)
    const before = payloadAttributesToJson({
      ...full,
      withdrawals: null,
      parentBeaconBlockRoot: null,
      eip1559Params: null,
      minBaseFeeWei: null,
    })
    assert.deepEqual(Object.keys(before).sort(), [
      'gasLimit',
      'noTxPool',
      'prevRandao',
      'suggestedFeeRecipient',
      'timestamp',
      'transactions',
    ])
  })

  it('reads the minimum base fee as a number or as a quantity', () => {
    const json = payloadAttributesToJson(SAMPLE)
    assert.equal(parsePayloadAttributesJson({ ...json, minBaseFee: 5 }).minBaseFeeWei, 5n)
    assert.equal(parsePayloadAttributesJson({ ...json, minBaseFee: '0x5' }).minBaseFeeWei, 5n)
    assert.throws(() => parsePayloadAttributesJson({ ...json, minBaseFee: -5 }), /minBaseFee/)
  })

  it('rejects incomplete attributes, naming the field', () => {
    const json = payloadAttributesToJson(SAMPLE)
    const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
      [{ gasLimit: undefined }, /attributes\.gasLimit: expected a hex number .* got nothing/],
      [{ timestamp: 12 }, /attributes\.timestamp/],
      [{ noTxPool: 'yes' }, /attributes\.noTxPool: expected true or false/],
      [{ eip1559Params: '0x00' }, /attributes\.eip1559Params: expected 8 bytes, got 1/],
      [{ transactions: ['0x1'] }, /attributes\.transactions\[0\]/],
      [{ withdrawals: [null] }, /attributes\.withdrawals\[0\]: expected an object/],
    ]
    for (const [change, reason] of cases) {
      assert.throws(
        () => parsePayloadAttributesJson({ ...json, ...change }),
        (error) => error instanceof CodecError && reason.test(error.message),
        String(reason),
      )
    }
    assert.throws(() => parsePayloadAttributesJson(null), /payload attributes: expected an object/)
  })

  it('rejects payloads with oversized fields', () => {
    const json = executionPayloadToJson(fc.sample(payload, { numRuns: 1, seed: 4 })[0] as ExecutionPayload)
    assert.throws(() => parseExecutionPayloadJson({ ...json, extraData: `0x${'00'.repeat(33)}` }), /extraData: at most 32 bytes, got 33/)
    assert.throws(() => parseExecutionPayloadJson({ ...json, logsBloom: '0x' }), /logsBloom: expected 256 bytes/)
    assert.throws(() => parseExecutionPayloadJson({ ...json, blockHash: undefined }), /blockHash/)
  })

  it('carries forkchoice and status', () => {
    fc.assert(
      fc.property(hash, hash, hash, (head, safe, finalized) => {
        const state = { head, safe, finalized }
        assert.deepEqual(forkchoiceStateToJson(state), { headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized })
        assert.deepEqual(parseForkchoiceStateJson(overTheWire(forkchoiceStateToJson(state))), state)
      }),
    )
    const latestValidHash = SAMPLE.prevRandao
    const statuses: readonly PayloadStatus[] = [
      { status: 'VALID', latestValidHash },
      { status: 'INVALID', latestValidHash: null, reason: 'gas used 2, expected 1' },
      { status: 'SYNCING' },
      { status: 'ACCEPTED' },
    ]
    for (const status of statuses) {
      assert.deepEqual(parsePayloadStatusJson(overTheWire(payloadStatusToJson(status))), status)
      for (const payloadId of [null, '0x0300000000000001' as PayloadId]) {
        assert.deepEqual(parseForkchoiceResultJson(overTheWire(forkchoiceResultToJson({ status, payloadId }))), { status, payloadId })
      }
    }
    assert.deepEqual(payloadStatusToJson({ status: 'SYNCING' }), { status: 'SYNCING', latestValidHash: null, validationError: null })
  })

  it('reads the variants of other clients, and rejects unknown values', () => {
    const invalid = parsePayloadStatusJson({ status: 'INVALID_BLOCK_HASH', latestValidHash: null })
    assert.deepEqual(invalid, { status: 'INVALID', latestValidHash: null, reason: 'no reason given' })
    assert.throws(() => parsePayloadStatusJson({ status: 'MAYBE' }), /got MAYBE/)
    assert.throws(() => parsePayloadStatusJson({ status: 'VALID', latestValidHash: null }), /VALID without latestValidHash/)
    assert.throws(() => parsePayloadId('0x01'), /payloadId: expected 8 bytes/)
  })
})
