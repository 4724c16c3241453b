import assert from 'node:assert/strict'
import { RpcResponseError } from '@keelson/client'
import { assertSyncModeFits, createCannotSync } from './sync-options.ts'

describe('the sync mode', () => {
  it('of the execution layer is for followers', () => {
    assertSyncModeFits('execution-layer', 'follower')
    assertSyncModeFits('consensus-layer', 'sequencer')
    assert.throws(() => assertSyncModeFits('execution-layer', 'sequencer'), { code: 'node/usage', message: /is for followers/ })
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
    assert.match((await answers([{ code: 'KL', name: 'Keelson' }])()) ?? '', /is Keelson, which does not fetch/)
    assert.equal(await answers([{ code: 'GE', name: 'geth' }])(), null)
    assert.equal(await answers(null)(), null)
    assert.equal(await answers(Object.create(RpcResponseError.prototype))(), null)
    await assert.rejects(answers(new Error('connection refused'))(), /connection refused/)
    assert.ok(asked.every((method) => method === 'engine_getClientVersionV1'))
  })
})
