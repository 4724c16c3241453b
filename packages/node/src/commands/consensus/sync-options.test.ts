import assert from 'node:assert/strict'
import { RpcResponseError } from '@keelson/client'
import { type OptionSet, resolveOptions } from '@keelson/runtime'
import { executionP2pOptions } from '../../p2p/p2p-options.ts'
import { assertSyncModeFits, createCannotSync, syncOptions } from './sync-options.ts'

describe('the sync mode', () => {
  it('of the execution layer is for followers', () => {
    assertSyncModeFits('execution-layer', 'follower')
    assertSyncModeFits('consensus-layer', 'sequencer')
    assert.throws(() => assertSyncModeFits('execution-layer', 'sequencer'), { code: 'node/usage', message: /is for followers/ })
  })

  it('of the other client is refused with a sentence, because both read one environment variable', () => {
    const resolve = (set: OptionSet, mode: string) => resolveOptions(set, { env: { KEELSON_SYNCMODE: mode } }).values
    const execution = { syncMode: executionP2pOptions.syncMode }
    assert.deepEqual(resolve(execution, 'snap'), { syncMode: 'snap' })
    assert.deepEqual(resolve(syncOptions, 'execution-layer'), { syncMode: 'execution-layer' })
    assert.throws(() => resolve(syncOptions, 'snap'), /got "snap", which is a mode of the execution client: both read KEELSON_SYNCMODE/)
    assert.throws(() => resolve(execution, 'execution-layer'), /"execution-layer", which is a mode of the consensus client/)
    assert.throws(() => resolve(syncOptions, 'fast'), /expected one of consensus-layer, execution-layer, got "fast"$/m)
  })

  it('asks the execution client who it is before it leaves syncing to it', async () => {
    const asked: string[] = []
    const answers = (answer: unknown) =>
      createCannotSync({
        async call(method) {
          asked.push(method)
          if (answer instanceof Error) throw answer
          return answer
        },
      })
    assert.equal(await answers([{ code: 'GE', name: 'geth' }])(), null)
    assert.equal(await answers(null)(), null)
    assert.equal(await answers(Object.create(RpcResponseError.prototype))(), null)
    await assert.rejects(answers(new Error('connection refused'))(), /connection refused/)
    assert.ok(asked.every((method) => method === 'engine_getClientVersionV1'))
  })

  it('asks a Keelson execution client whether it fetches blocks from peers', async () => {
    const keelson = (mode: unknown) =>
      createCannotSync({
        async call(method) {
          if (method === 'engine_getClientVersionV1') return [{ code: 'KL', name: 'Keelson' }]
          assert.equal(method, 'keelson_syncMode')
          if (mode instanceof Error) throw mode
          return mode
        },
      })()
    assert.equal(await keelson('full'), null)
    assert.match((await keelson('none')) ?? '', /--syncmode none/)
    assert.match((await keelson(Object.create(RpcResponseError.prototype))) ?? '', /cannot fetch blocks from peers/)
    await assert.rejects(keelson(new Error('connection refused')), /connection refused/)
  })
})
