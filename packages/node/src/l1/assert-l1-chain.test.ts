import assert from 'node:assert/strict'
import type { RollupConfig } from '@keelson/chainspec'
import type { RpcClient } from '@keelson/client'
import { assertL1Chain } from './assert-l1-chain.ts'

const CONFIG = { l1ChainId: 900_084n } as RollupConfig
const l1 = (call: () => Promise<unknown>): RpcClient => ({
  host: 'l1.example:7545',
  call,
  batch: () => assert.fail('one call is enough'),
  close: () => undefined,
})

describe('the L1 a role starts on', () => {
  it('is accepted when it has the chain id of rollup.json', async () => {
    await assertL1Chain(
      l1(async () => '0xdbbf4'),
      CONFIG,
    )
  })

  it('is refused with what it is and what it should be', async () => {
    const start = assertL1Chain(
      l1(async () => '0x1'),
      CONFIG,
    )
    await assert.rejects(start, { code: 'node/usage', message: /l1\.example:7545 is chain 1, rollup\.json expects 900084/ })
  })

  it('is said to be missing when it does not answer, or with nonsense', async () => {
    const away = l1(async () => {
      throw new Error('l1.example:7545 cannot be reached')
    })
    await assert.rejects(assertL1Chain(away, CONFIG), {
      code: 'node/l1-unreachable',
      message: /no L1: l1\.example:7545 cannot be reached; start it/,
    })
    const nonsense = l1(async () => 'a page')
    await assert.rejects(assertL1Chain(nonsense, CONFIG), { code: 'node/l1-unreachable' })
  })
})
