import assert from 'node:assert/strict'
import type { ReadMethod, ReadRunner } from '@keelson/execution'
import { RawJson } from '@keelson/runtime'
import { AnswerCache } from './answer-cache.ts'

describe('answers to repeated reads', () => {
  const signal = new AbortController().signal

  function open(answerTo: (method: ReadMethod, params: readonly unknown[]) => string) {
    const asked: string[] = []
    const state = { revision: 1 }
    const runner: ReadRunner = {
      threads: 1,
      async run(method, params) {
        asked.push(`${method} ${JSON.stringify(params)}`)
        return new RawJson(answerTo(method, params))
      },
    }
    const cache = new AnswerCache(runner, () => state.revision)
    const ask = async (method: ReadMethod, ...params: readonly unknown[]) =>
      ((await cache.run(method, params, { limitMs: 5_000, signal, client: null })) as RawJson).text
    return { asked, state, cache, ask }
  }

  it('come from the cache until the store changes', async () => {
    let balance = 7
    const { ask, asked, state } = open(() => String(balance))
    assert.equal(await ask('eth_call', { to: '0x01' }, 'latest'), '7')
    balance = 8
    assert.equal(await ask('eth_call', { to: '0x01' }, 'latest'), '7')
    assert.equal(asked.length, 1)
    state.revision++
    assert.equal(await ask('eth_call', { to: '0x01' }, 'latest'), '8')
  })

  it('are different for other parameters and methods', async () => {
    const { ask, asked } = open((method, params) => method + JSON.stringify(params))
    for (let i = 0; i < 2; i++) {
      assert.equal(await ask('eth_call', '1'), 'eth_call["1"]')
      assert.equal(await ask('eth_call', 1), 'eth_call[1]')
      assert.equal(await ask('eth_getLogs', 1), 'eth_getLogs[1]')
    }
    assert.equal(asked.length, 3)
  })

  it('of a block that was replaced while it was read are not kept', async () => {
    const { ask, asked, state } = open(() => {
      state.revision++
      return 'old'
    })
    await ask('eth_call', 1)
    await ask('eth_call', 1)
    assert.equal(asked.length, 2)
  })

  it('are not kept for traces, nor if they are large', async () => {
    const { ask, asked } = open((method) => 'a'.repeat(method === 'eth_getLogs' ? 3_000_000 : 10))
    for (let i = 0; i < 2; i++) {
      await ask('debug_traceCall', 1)
      await ask('eth_getLogs', 1)
      await ask('eth_call', 'x'.repeat(5_000))
    }
    assert.equal(asked.length, 6)
  })

  it('of many questions take bounded memory', async () => {
    const { ask, asked } = open(() => 'a'.repeat(1_000_000))
    for (let i = 0; i < 20; i++) await ask('eth_call', i)
    for (let i = 0; i < 20; i++) await ask('eth_call', i)
    assert.ok(asked.length > 20 && asked.length < 40)
  })
})
