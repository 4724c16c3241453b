import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import fc from 'fast-check'
import { createMemoryAuditStore } from '../memory-stores.test-support.ts'
import { type AuditEntry, AuditLog, findBrokenAuditEntry } from './audit-log.ts'

const event = (n: number) => [{ id: `e${n}`, userId: n }, 'placing', { n, text: `"\u2028${n}` }] as const

async function filled(count: number): Promise<AuditEntry[]> {
  const store = createMemoryAuditStore()
  const clock = createManualClock(1_000)
  const logs = [new AuditLog(store, clock), new AuditLog(store, clock)]
  await Promise.all(Array.from({ length: count }, (_, n) => logs[n % 2]?.record(...event(n))))
  return store.entries
}

describe('audit log', () => {
  it('keeps every entry of two processes that write at once, in one chain', async () => {
    const entries = await filled(40)
    assert.deepEqual(new Set(entries.map(({ executionId }) => executionId)).size, 40)
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: 40 }, (_, i) => i + 1),
    )
    assert.equal(findBrokenAuditEntry(entries), null)
    assert.equal(findBrokenAuditEntry(JSON.parse(JSON.stringify(entries))), null)
  })

  it('shows where something was changed, taken out, put in or moved', async () => {
    const entries = await filled(12)
    const at = fc.integer({ min: 0, max: 10 })
    const changes: Record<string, (i: number) => AuditEntry[]> = {
      event: (i) => entries.with(i, { ...(entries[i] as AuditEntry), event: 'refused' }),
      data: (i) => entries.with(i, { ...(entries[i] as AuditEntry), data: {} }),
      time: (i) => entries.with(i, { ...(entries[i] as AuditEntry), atMs: 999 }),
      user: (i) => entries.with(i, { ...(entries[i] as AuditEntry), userId: 77 }),
      without: (i) => entries.toSpliced(i, 1),
      twice: (i) => entries.toSpliced(i, 0, entries[i] as AuditEntry),
      swapped: (i) => entries.with(i, entries[i + 1] as AuditEntry).with(i + 1, entries[i] as AuditEntry),
    }
    fc.assert(
      fc.property(at, fc.constantFrom(...Object.keys(changes)), (i, change) => {
        const broken = findBrokenAuditEntry(changes[change]?.(i) ?? [])
        assert.ok(broken === i + 1 || (change === 'twice' && broken === i + 2), `${change} at ${i}: ${broken}`)
      }),
    )
  })

  it('continues after an entry that could not be written', async () => {
    const store = createMemoryAuditStore()
    const log = new AuditLog(store, createManualClock(0))
    const { append } = store
    store.append = () => Promise.reject(new Error('disk full'))
    await assert.rejects(log.record(...event(1)), /disk full/)
    store.append = append
    await log.record(...event(2))
    assert.deepEqual(
      store.entries.map(({ executionId }) => executionId),
      ['e2'],
    )
  })
})
