import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  blockToPayload,
  executionPayloadToJson,
  type PayloadAttributes,
  type PayloadId,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import {
  createRpcServer,
  createSilentLogger,
  createSystemClock,
  createSystemRandom,
  RpcError,
  type RpcServer,
  Secret,
} from '@keelson/runtime'
import type { ClientError } from '../client-error.ts'
import { sampleBlock, sampleTransaction } from '../sample-block.test-support.ts'
import { createEngineClient, type EngineClient, type EngineVersions } from './engine-client.ts'

const clock = createSystemClock()
const log = createSilentLogger()
const random = createSystemRandom()

describe('engine client', () => {
  const jwtSecret = new Secret(new Uint8Array(randomBytes(32)))
  const valid = { status: 'VALID', latestValidHash: ZERO_HASH, validationError: null }
  const { payload } = blockToPayload(sampleBlock(1, ZERO_HASH, [sampleTransaction(0n)]), true)
  const attributes: PayloadAttributes = {
    timestampSec: 2000,
    prevRandao: ZERO_HASH,
    feeRecipient: ZERO_ADDRESS,
    withdrawals: [],
    parentBeaconBlockRoot: ZERO_HASH,
    transactions: [Uint8Array.of(1)],
    noTxPool: true,
    gasLimit: 30_000_000n,
    eip1559Params: new Uint8Array(8),
    minBaseFeeWei: 0n,
  }
  const state = { head: ZERO_HASH, safe: ZERO_HASH, finalized: ZERO_HASH }
  const id = '0x0300000000000001' as PayloadId
  let server: RpcServer
  let engine: EngineClient
  let calls: [string, readonly unknown[]][] = []
  let answers: Record<string, () => unknown>
  let versions: EngineVersions

  before(async () => {
    const names = ['engine_exchangeCapabilities']
    for (let v = 1; v <= 5; v++) names.push(`engine_forkchoiceUpdatedV${v}`, `engine_newPayloadV${v}`, `engine_getPayloadV${v}`)
    const handler = (name: string) => (params: readonly unknown[]) => {
      calls.push([name, params])
      return answers[name.replace(/V\d$/, '')]?.()
    }
    const methods = Object.fromEntries(names.map((name) => [name, handler(name)]))
    server = createRpcServer({ name: 'engine', host: '127.0.0.1', port: 0, jwtSecret }, { methods, log, clock })
    await server.start(new AbortController().signal)
    const versionFor = () => versions
    engine = createEngineClient({ url: server.httpUrl, jwtSecret, versionFor }, { clock, random, log })
  })
  after(async () => {
    engine.close()
    await server.stop()
  })
  beforeEach(() => {
    calls = []
    versions = { forkchoiceUpdated: 3, getPayload: 4, newPayload: 4 }
    answers = {
      engine_forkchoiceUpdated: () => ({ payloadStatus: valid, payloadId: null }),
      engine_newPayload: () => valid,
    }
  })

  it('sends a payload by the method of its time, with what that version adds', async () => {
    const json = JSON.parse(JSON.stringify(executionPayloadToJson(payload)))
    const expected: Record<number, readonly unknown[]> = { 2: [json], 3: [json, [], ZERO_HASH], 4: [json, [], ZERO_HASH, []] }
    for (const version of [2, 3, 4] as const) {
      versions = { ...versions, newPayload: version }
      assert.deepEqual(await engine.newPayload(payload, ZERO_HASH), { status: 'VALID', latestValidHash: ZERO_HASH })
      assert.deepEqual(calls.at(-1), [`engine_newPayloadV${version}`, expected[version]])
    }
  })

  it('begins a payload and fetches it by the version of its time', async () => {
    answers.engine_forkchoiceUpdated = () => ({ payloadStatus: valid, payloadId: id })
    answers.engine_getPayload = () => ({
      executionPayload: executionPayloadToJson(payload),
      blockValue: '0x5',
      parentBeaconBlockRoot: ZERO_HASH,
    })
    versions = { ...versions, forkchoiceUpdated: 2, getPayload: 5 }
    assert.deepEqual(await engine.forkchoiceUpdated(state, attributes), {
      status: { status: 'VALID', latestValidHash: ZERO_HASH },
      payloadId: id,
    })
    const built = await engine.getPayload(id)
    assert.deepEqual(built, { payload, parentBeaconBlockRoot: ZERO_HASH, blockValueWei: 5n })
    assert.deepEqual(
      calls.map(([name]) => name),
      ['engine_forkchoiceUpdatedV2', 'engine_getPayloadV5'],
    )
    assert.equal((calls[0] as [string, [unknown, PayloadAttributes]])[1][1].noTxPool, true)
  })

  it('moves the heads without attributes by the newest version', async () => {
    await engine.forkchoiceUpdated({ ...state, head: toHash(`0x${'11'.repeat(32)}`) }, null)
    assert.deepEqual(calls, [
      [
        'engine_forkchoiceUpdatedV3',
        [{ headBlockHash: `0x${'11'.repeat(32)}`, safeBlockHash: ZERO_HASH, finalizedBlockHash: ZERO_HASH }, null],
      ],
    ])
  })

  it('gives statuses as values', async () => {
    answers.engine_newPayload = () => ({ status: 'INVALID', latestValidHash: null, validationError: 'bad root' })
    assert.deepEqual(await engine.newPayload(payload, null), { status: 'INVALID', latestValidHash: null, reason: 'bad root' })
    answers.engine_newPayload = () => ({ status: 'SYNCING', latestValidHash: null, validationError: null })
    assert.deepEqual(await engine.newPayload(payload, null), { status: 'SYNCING' })
  })

  it('gives the errors of the specification their codes', async () => {
    const cases = [
      [-38001, 'engine/unknown-payload'],
      [-38002, 'engine/invalid-forkchoice'],
      [-38003, 'engine/invalid-attributes'],
      [-38004, 'engine/too-large-request'],
      [-38005, 'engine/unsupported-fork'],
    ] as const
    for (const [number, code] of cases) {
      answers.engine_forkchoiceUpdated = () => {
        throw new RpcError(number, 'no good')
      }
      await assert.rejects(engine.forkchoiceUpdated(state, attributes), { code, message: /no good/ })
    }
  })

  it('does not ask op-geth for ever about a transaction that cannot be read', async () => {
    answers.engine_forkchoiceUpdated = () => {
      throw new RpcError(-32000, 'transaction 1 is not valid: transaction type not supported')
    }
    await assert.rejects(engine.forkchoiceUpdated(state, attributes), { code: 'engine/invalid-attributes' })
    answers.engine_forkchoiceUpdated = () => {
      throw new RpcError(-32000, 'the database is closed')
    }
    await assert.rejects(engine.forkchoiceUpdated(state, attributes), { code: 'client/rpc', severity: 'temporary' })
  })

  it('knows a payload it never began', async () => {
    await assert.rejects(engine.getPayload('0x0300000000000009' as PayloadId), { code: 'engine/unknown-payload' })
  })

  it('calls all other trouble temporary', async () => {
    answers.engine_newPayload = () => {
      throw new RpcError(-32000, 'shutting down')
    }
    await assert.rejects(engine.newPayload(payload, null), { code: 'client/rpc', severity: 'temporary' })
    answers.engine_newPayload = () => ({ status: 'PERHAPS' })
    await assert.rejects(engine.newPayload(payload, null), { code: 'client/bad-answer', severity: 'temporary' })
    const nobody = createEngineClient({ url: 'http://127.0.0.1:1', jwtSecret, versionFor: () => versions }, { clock, random, log })
    await assert.rejects(nobody.newPayload(payload, null), { code: 'client/unreachable', severity: 'temporary' })
    nobody.close()
  })

  it('repeats why its token was refused, with both fingerprints', async () => {
    const other = new Secret(new Uint8Array(randomBytes(32)))
    const stranger = createEngineClient({ url: server.httpUrl, jwtSecret: other, versionFor: () => versions }, { clock, random, log })
    await assert.rejects(stranger.newPayload(payload, null), (error: ClientError) => {
      assert.equal(error.code, 'client/unauthorized')
      assert.match(error.message, /caller's has fingerprint [0-9a-f]{8}, ours [0-9a-f]{8}/)
      return true
    })
    stranger.close()
  })

  it('exchanges capabilities', async () => {
    answers.engine_exchangeCapabilities = () => ['engine_newPayloadV4', 5]
    assert.deepEqual(await engine.exchangeCapabilities(), ['engine_newPayloadV4'])
    assert.ok((calls[0] as [string, [string[]]])[1][0].includes('engine_getPayloadV5'))
  })
})
