import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { createMetrics } from '@keelson/runtime'
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
    const metrics = createMetrics('role')
    const verdict = await createDiskCheck(tmpdir(), metrics).check()
    assert.match(verdict.ok ? (verdict.detail ?? '') : verdict.reason, /GiB free/)
    const { text } = await metrics.render()
    const used = Number(/^role_disk_used_ratio (\S+)$/m.exec(text)?.[1])
    assert.ok(used >= 0 && used <= 1, String(used))
    assert.match(text, /^role_disk_free_bytes \d+$/m)
  })

  it('has no figures for a folder that does not exist', async () => {
    const metrics = createMetrics('role')
    const check = createDiskCheck('/nowhere/at/all', metrics)
    assert.deepEqual(await check.check(), { ok: false, reason: 'the folder /nowhere/at/all cannot be read' })
    assert.match((await metrics.render()).text, /^role_disk_used_ratio nan$/im)
  })
})
