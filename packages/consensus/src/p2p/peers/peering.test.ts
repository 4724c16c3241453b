import assert from 'node:assert/strict'
import { createManualClock, createMemoryStore } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../../test/support/recording-logger.ts'
import type { GossipHost } from '../host/libp2p-host.ts'
import { createPeering } from './peering.ts'
import { DEFAULT_PEERING } from './peering-options.ts'

describe('whom blocks are asked of', () => {
  it('leaves out a peer that does not serve blocks, for ten minutes and at no cost to its score', async () => {
    const clock = createManualClock(1_800_000_000_000)
    const connections = ['kona', 'other'].map((peerId) => ({ peerId }))
    const peering = createPeering(
      {
        chainId: 10n,
        blockTimeMs: 2_000,
        host: '127.0.0.1',
        nodeKey: new Uint8Array(32).fill(1),
        staticPeers: [],
        peering: DEFAULT_PEERING,
      },
      {
        store: createMemoryStore(),
        topics: [],
        host: () => ({ connections: () => connections }) as unknown as GossipHost,
        discovery: () => null,
        clock,
        log: createRecordingLogger(),
      },
    )
    peering.answered('kona', 'not-served')
    assert.deepEqual(peering.helpfulFirst(), ['other'])
    assert.equal(peering.hostOptions.applicationScore('kona'), 0)
    peering.answered('other', 'no-answer')
    assert.deepEqual(peering.helpfulFirst(), ['other'], 'one that failed once is asked again')
    assert.ok(peering.hostOptions.applicationScore('other') < 0)
    await clock.advance(10 * 60_000 + 1)
    assert.deepEqual(peering.helpfulFirst(), ['kona', 'other'])
  })
})
