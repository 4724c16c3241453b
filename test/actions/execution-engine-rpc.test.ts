import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { payloadAttributesToJson, ZERO_HASH } from '@keelson/primitives'
import { toRpcError } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from '../support/execution-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any

async function open(options: ExecutionWorldOptions = {}) {
  const world = await createExecutionWorld(options)
  const call = async (method: string, ...params: readonly unknown[]): Promise<Json> => {
    const result = await world.node.engineMethods[method]?.(params, { signal: new AbortController().signal, transport: 'http' })
    return JSON.parse(JSON.stringify(result))
  }
  const number = (method: string, ...params: readonly unknown[]) =>
    call(method, ...params).then(
      () => 'no error',
      (error: unknown) => toRpcError(error).number,
    )
  return { world, call, number }
}

const choice = (head: string) => ({ headBlockHash: head, safeBlockHash: ZERO_HASH, finalizedBlockHash: ZERO_HASH })
const attributesOf = (world: ExecutionWorld): Json => payloadAttributesToJson(world.attributes())

describe('execution: the engine API over JSON-RPC', () => {
  it('builds and imports a block with the versions for Jovian', async () => {
    const { world, call } = await open()
    const started = await call('engine_forkchoiceUpdatedV3', choice(world.genesis.hash), attributesOf(world))
    assert.equal(started.payloadStatus.status, 'VALID')
    assert.equal(started.payloadStatus.validationError, null)
    assert.match(started.payloadId, /^0x03[0-9a-f]{14}$/)
    const built = await call('engine_getPayloadV4', started.payloadId)
    assert.deepEqual(built.executionRequests, [])
    assert.deepEqual(built.blobsBundle, { commitments: [], proofs: [], blobs: [] })
    assert.equal(built.parentBeaconBlockRoot, ZERO_HASH)
    assert.ok(built.executionPayload.withdrawalsRoot)
    assert.deepEqual(await call('engine_getPayloadV4', started.payloadId), built)
    const status = await call('engine_newPayloadV4', built.executionPayload, [], ZERO_HASH, [])
    assert.deepEqual(status, { status: 'VALID', latestValidHash: built.executionPayload.blockHash, validationError: null })
    await call('engine_forkchoiceUpdatedV3', choice(built.executionPayload.blockHash), null)
    assert.equal(await call('eth_blockNumber'), '0x1')
    const bodies = await call('engine_getPayloadBodiesByHashV1', [built.executionPayload.blockHash, ZERO_HASH])
    assert.deepEqual(bodies, [{ transactions: built.executionPayload.transactions, withdrawals: [] }, null])
    assert.deepEqual(await call('engine_getPayloadBodiesByRangeV1', '0x1', '0x5'), [bodies[0]])
  })

  it('rejects a version that does not match the block, and fields that do not match the version', async () => {
    const { world, call, number } = await open()
    const attributes = attributesOf(world)
    const state = choice(world.genesis.hash)
    assert.equal(await number('engine_forkchoiceUpdatedV2', state, { ...attributes, parentBeaconBlockRoot: null }), -38005)
    assert.equal(await number('engine_forkchoiceUpdatedV2', state, attributes), -38003)
    assert.equal(await number('engine_forkchoiceUpdatedV1', state, attributes), -32602)
    assert.equal(await number('engine_forkchoiceUpdatedV3', state, { ...attributes, parentBeaconBlockRoot: null }), -38003)
    assert.equal(await number('engine_forkchoiceUpdatedV3', state, { ...attributes, gasLimit: null }), -38003)
    assert.equal(await number('engine_forkchoiceUpdatedV3', state, { ...attributes, minBaseFee: null }), -38003)
    assert.equal(await number('engine_forkchoiceUpdatedV3', { ...state, safeBlockHash: `0x${'12'.repeat(32)}` }, null), -38002)
    assert.equal(await number('engine_getPayloadV4', '0x0300000000000001'), -38001)
    const { payloadId } = await call('engine_forkchoiceUpdatedV3', state, attributes)
    assert.equal(await number('engine_getPayloadV3', payloadId), -38005)
    assert.equal(await number('engine_getPayloadV2', payloadId), -38005)
    const { executionPayload } = await call('engine_getPayloadV4', payloadId)
    assert.equal(await number('engine_newPayloadV3', executionPayload, [], ZERO_HASH), -38005)
    assert.equal(await number('engine_newPayloadV4', { ...executionPayload, withdrawalsRoot: undefined }, [], ZERO_HASH, []), -32602)
    const withBlobs = await call('engine_newPayloadV4', executionPayload, [ZERO_HASH], ZERO_HASH, [])
    assert.equal(withBlobs.status, 'INVALID')
    const otherRoot = await call('engine_newPayloadV4', executionPayload, [], `0x${'34'.repeat(32)}`, [])
    assert.match(otherRoot.validationError, /blockhash mismatch/)
    assert.equal(await number('engine_getPayloadBodiesByRangeV1', '0x0', '0x1'), -32602)
    assert.equal(await number('engine_getPayloadBodiesByRangeV1', '0x1', '0x401'), -38004)
  })

  it('serves the versions for earlier forks', async () => {
    const first = await open({ forks: { regolith: 0 } })
    const v1 = await first.call('engine_forkchoiceUpdatedV1', choice(first.world.genesis.hash), attributesOf(first.world))
    const bare = await first.call('engine_getPayloadV1', v1.payloadId)
    assert.equal((await first.call('engine_newPayloadV1', bare)).status, 'VALID')
    const second = await open({ forks: forksAtGenesis('delta') })
    const v2 = await second.call('engine_forkchoiceUpdatedV2', choice(second.world.genesis.hash), attributesOf(second.world))
    const withValue = await second.call('engine_getPayloadV2', v2.payloadId)
    assert.deepEqual(withValue.executionPayload.withdrawals, [])
    assert.equal((await second.call('engine_newPayloadV2', withValue.executionPayload)).status, 'VALID')
    const third = await open({ forks: forksAtGenesis('granite') })
    const v3 = await third.call('engine_forkchoiceUpdatedV3', choice(third.world.genesis.hash), attributesOf(third.world))
    const noRequests = await third.call('engine_getPayloadV3', v3.payloadId)
    assert.equal(noRequests.executionRequests, undefined)
    assert.equal((await third.call('engine_newPayloadV3', noRequests.executionPayload, [], ZERO_HASH)).status, 'VALID')
  })

  const ERAS = [
    {
      fork: 'regolith',
      forks: { regolith: 0 },
      attributes: ['ok', 'ok', -38003],
      get: ['ok', 'ok', -38005, -38005, -38005],
      payload: ['ok', 'ok', -38005, -38005],
    },
    {
      fork: 'delta',
      attributes: [-32602, 'ok', -38003],
      get: [-38005, 'ok', -38005, -38005, -38005],
      payload: [-38005, 'ok', -38005, -38005],
    },
    {
      fork: 'ecotone',
      attributes: [-32602, -38003, 'ok'],
      get: [-38005, -38005, 'ok', -38005, -38005],
      payload: [-38005, -38005, 'ok', -38005],
    },
    {
      fork: 'holocene',
      attributes: [-32602, -38003, 'ok'],
      get: [-38005, -38005, 'ok', -38005, -38005],
      payload: [-38005, -38005, 'ok', -38005],
    },
    {
      fork: 'isthmus',
      attributes: [-32602, -38003, 'ok'],
      get: [-38005, -38005, -38005, 'ok', -38005],
      payload: [-38005, -38005, -38005, 'ok'],
    },
    {
      fork: 'jovian',
      attributes: [-32602, -38003, 'ok'],
      get: [-38005, -38005, -38005, 'ok', -38005],
      payload: [-38005, -38005, -38005, 'ok'],
    },
    {
      fork: 'karst',
      attributes: [-32602, -38003, 'ok'],
      get: [-38005, -38005, -38005, -38005, 'ok'],
      payload: [-38005, -38005, -38005, 'ok'],
    },
  ] as const

  for (const era of ERAS) {
    it(`accepts exactly the versions for ${era.fork}`, async () => {
      const { world, call, number } = await open({ forks: 'forks' in era ? era.forks : forksAtGenesis(era.fork) })
      const answer = (method: string, ...params: readonly unknown[]) =>
        number(method, ...params).then((result) => (result === 'no error' ? 'ok' : result))
      const state = choice(world.genesis.hash)
      const attributes = attributesOf(world)
      const versions = <T>(known: readonly T[], ask: (version: number) => Promise<unknown>) => Promise.all(known.map((_, i) => ask(i + 1)))
      assert.deepEqual(await versions(era.attributes, (v) => answer(`engine_forkchoiceUpdatedV${v}`, state, attributes)), era.attributes)
      assert.deepEqual(await versions(era.attributes, (v) => answer(`engine_forkchoiceUpdatedV${v}`, state, null)), ['ok', 'ok', 'ok'])
      const started = await call(`engine_forkchoiceUpdatedV${era.attributes.indexOf('ok') + 1}`, state, attributes)
      assert.deepEqual(await versions(era.get, (v) => answer(`engine_getPayloadV${v}`, started.payloadId)), era.get)
      const built = await call(`engine_getPayloadV${era.get.indexOf('ok') + 1}`, started.payloadId)
      const payload = built.executionPayload ?? built
      assert.deepEqual(await versions(era.payload, (v) => answer(`engine_newPayloadV${v}`, payload, [], ZERO_HASH, [])), era.payload)
    })
  }

  it('rejects malformed requests with -32602 and changes nothing', async () => {
    const { world, number } = await open()
    const state = choice(world.genesis.hash)
    for (const [method, ...params] of [
      ['engine_forkchoiceUpdatedV3'],
      ['engine_forkchoiceUpdatedV3', { ...state, headBlockHash: '0x12' }, null],
      ['engine_forkchoiceUpdatedV3', { headBlockHash: world.genesis.hash }, null],
      ['engine_newPayloadV4', {}, [], ZERO_HASH, []],
      ['engine_newPayloadV4', null, [], ZERO_HASH, []],
      ['engine_getPayloadV4', '0x03'],
      ['engine_getPayloadV4', 3],
      ['engine_getPayloadBodiesByHashV1', 'all'],
      ['engine_getPayloadBodiesByHashV1', ['0x12']],
      ['engine_getPayloadBodiesByRangeV1', '0x1'],
      ['engine_getPayloadBodiesByRangeV1', '0x1', '0x0'],
    ] as const) {
      assert.equal(await number(method, ...params), -32602, `${method} ${JSON.stringify(params)}`)
    }
    assert.equal(
      await number(
        'engine_getPayloadBodiesByHashV1',
        Array.from({ length: 1_025 }, () => ZERO_HASH),
      ),
      -38004,
    )
    assert.equal(
      await number(
        'engine_getPayloadBodiesByHashV1',
        Array.from({ length: 1_024 }, () => ZERO_HASH),
      ),
      'no error',
    )
    assert.equal(world.node.chain.label('unsafe').hash, world.genesis.hash)
  })

  it('returns its capabilities and client version', async () => {
    const { call } = await open()
    const names: string[] = await call('engine_exchangeCapabilities', [])
    const versions = (name: string, count: number) => Array.from({ length: count }, (_, i) => `engine_${name}V${i + 1}`)
    assert.deepEqual(
      names.sort(),
      [
        ...versions('forkchoiceUpdated', 3),
        ...versions('newPayload', 4),
        ...versions('getPayload', 5),
        ...versions('getPayloadBodiesByHash', 1),
        ...versions('getPayloadBodiesByRange', 1),
        ...versions('getClientVersion', 1),
      ].sort(),
    )
    const [client] = await call('engine_getClientVersionV1', { code: 'XX', name: 'x', version: '1', commit: '0x00000000' })
    assert.equal(client.name, 'Keelson')
    assert.match(client.commit, /^0x[0-9a-f]{8}$/)
  })
})
