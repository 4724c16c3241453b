import assert from 'node:assert/strict'
import { createHeadLagCheck } from './head-lag-check.ts'

function checkOf(head: number, heard: () => unknown) {
  const chain = { label: () => ({ header: { number: head } }) } as never
  return createHeadLagCheck(10, { chain, consensus: { host: '127.0.0.1:9545', call: async () => heard() } })
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

  it('leaves the judgement to the age of the head when the consensus client does not say', async () => {
    for (const heard of [
      () => null,
      () => '0x64',
      () => {
        throw new Error('method not found')
      },
    ]) {
      const result = await checkOf(1, heard).check()
      assert.match(result.ok ? (result.detail ?? '') : '', /^not known: 127\.0\.0\.1:9545/)
    }
  })
})
