import assert from 'node:assert/strict'
import type { RpcClient } from '@keelson/client'
import { createManualClock } from '@keelson/runtime'
import { tellingOfSilence } from './slow-node.ts'

describe('a node that hangs', () => {
  it('is reported within ten seconds, once for each silence, and not when it answers', async () => {
    const clock = createManualClock()
    const said: string[] = []
    const answers: ((answer: string) => void)[] = []
    const ask = () => new Promise<string>((resolve) => answers.push(resolve))
    const node = { host: 'l1.example', call: ask, batch: ask, close: () => undefined } as unknown as RpcClient
    const rpc = tellingOfSilence(node, 'L1', clock, (text) => said.push(text))
    const quick = rpc.call('eth_chainId', [])
    answers[0]?.('0x1')
    assert.equal(await quick, '0x1')
    await clock.advance(20_000)
    assert.deepEqual(said, [])
    const [slow, other] = [rpc.call('eth_chainId', []), rpc.batch([])]
    await clock.advance(10_000)
    assert.deepEqual(said, ['L1 l1.example has not answered for 6 s; waiting for it'])
    for (const answer of answers.slice(1)) answer('0x1')
    await Promise.all([slow, other])
  })
})
