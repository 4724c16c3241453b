import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { createDiskCheck, judgeDisk } from './disk-check.ts'

const GIB = 1024 ** 3

describe('the disk check', () => {
  it('is content with room to spare and says how much', () => {
    assert.deepEqual(judgeDisk('/data', { freeBytes: 80 * GIB, totalBytes: 250 * GIB }), { ok: true, detail: '80.0 GiB free, 32.0%' })
  })

  it('complains below 1 GiB and below 3 percent, and says what to do', () => {
    const little = judgeDisk('/data', { freeBytes: 0.5 * GIB, totalBytes: 4 * GIB })
    const share = judgeDisk('/data', { freeBytes: 20 * GIB, totalBytes: 1000 * GIB })
    for (const verdict of [little, share]) assert.equal(verdict.ok, false)
    assert.ok(!little.ok && little.reason === 'the disk of /data is nearly full: 0.5 GiB free, 12.5%')
    assert.ok(!share.ok && share.remedy?.startsWith('make room'))
  })

  it('reads the real disk', async () => {
    const verdict = await createDiskCheck(tmpdir()).check()
    assert.match(verdict.ok ? (verdict.detail ?? '') : verdict.reason, /GiB free/)
  })
})
