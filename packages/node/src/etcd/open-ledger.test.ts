import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, createMetrics, createSilentLogger, resolveOptions } from '@keelson/runtime'
import { ledgerOptions, openLedger } from './open-ledger.ts'

describe('the options of a ledger in etcd', () => {
  it('rejects a time limit of one member that costs the leader its lease while that member is silent', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'keelson-conductor-'))
    const open = (flags: Record<string, string>) => {
      const { values } = resolveOptions(ledgerOptions, {
        flags: { store: 'etcd://127.0.0.1:1', 'store.members': 'a,b', ...flags },
      })
      const shared = { clock: createManualClock(), log: createSilentLogger(), metrics: createMetrics('keelson_conductor') }
      const config = { l2ChainId: 1n, genesis: { l2: { hash: `0x${'0a'.repeat(32)}` } } } as unknown as Parameters<typeof openLedger>[2]
      return openLedger({ ...values, dataDir }, ['a'], config, shared)
    }
    await assert.rejects(open({ 'store.timeout': '2s' }), /--store\.timeout is 2000 ms, expected at most 1000 ms with a lease of 2 s/)
    await assert.rejects(open({ 'store.lease-ttl': '1s', 'store.timeout': '501ms' }), /at most 500 ms with a lease of 1 s/)
    for (const service of (await open({ 'store.timeout': '1s' })).services.toReversed()) await service.stop()
    await rm(dataDir, { recursive: true })
  })
})
