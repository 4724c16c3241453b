import assert from 'node:assert/strict'
import { ClientError, RpcResponseError } from '@keelson/client'
import { createHeadLagCheck } from './head-lag-check.ts'

function checkOf(head: number, heard: () => unknown) {
  const chain = { label: () => ({ header: { number: head } }) } as never
  return createHeadLagCheck(10, { chain, consensus: { call: async () => heard() } })
}

describe('the lag of the head', () => {
  it('fails above the limit, with both block numbers in the reason', async () => {
    assert.deepEqual(await checkOf(90, () => 100).check(), { ok: true, detail: 'head 90, 10 blocks behind' })
    const late = await checkOf(89, () => 100).check()
    assert.match(late.ok ? '' : late.reason, /^head 89 is 11 blocks behind block 100; at most 10 are expected$/)
  })

  it('passes ahead of what was heard, as on a sequencer', async () => {
    assert.equal((await checkOf(101, () => 100).check()).ok, true)
  })

  it('fails on a node that has just started, whose young head may lack the newest blocks', async () => {
    const deaf = await checkOf(55, () => null).check()
    assert.match(deaf.ok ? '' : deaf.reason, /has heard of no block/)
    const alone = await checkOf(55, () => {
      throw new ClientError('client/unreachable', 'temporary', 'connection refused', {})
    }).check()
    assert.match(alone.ok ? '' : alone.reason, /does not answer/)
  })

  it('leaves the judgement to the age of the head with a consensus client that does not say', async () => {
    const result = await checkOf(1, () => {
      throw new RpcResponseError('critical', 'optimism_heardHead', -32601, 'method not found', undefined)
    }).check()
    assert.match(result.ok ? (result.detail ?? '') : '', /^not known/)
  })
})
