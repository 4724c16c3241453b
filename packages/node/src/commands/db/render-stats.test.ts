import assert from 'node:assert/strict'
import type { DatabaseStats } from '@keelson/execution'
import { renderStats } from './render-result.ts'

const head = { number: 7, hash: '0x07' }
const stats = (bytes: Readonly<Record<string, number>>): DatabaseStats => ({
  chainId: '84532',
  genesisHash: '0x00',
  heads: { unsafe: head, safe: head, finalized: head },
  state: { diskNumber: 1, layers: 6, layerBytes: 100, oldest: 0 },
  totalBytes: Object.values(bytes).reduce((sum, size) => sum + size, 0),
  buckets: Object.entries(bytes).map(([name, size], bucket) => ({ name, bucket, bytes: size })),
})

describe('db stats', () => {
  it('lists what holds data in plain words, the largest first, and nothing that is empty', () => {
    const text = renderStats(stats({ accountNode: 0, historyIndex: 2048, header: 4096, logsIndexedFrom: 0 }))
    const kinds = text.split('\n').slice(6, -1)
    assert.deepEqual(
      kinds.map((line) => line.replace(/ {2,}/g, ' | ')),
      ['blocks: headers | 4.0 KiB', 'state history: index | 2.0 KiB', 'all | 6.0 KiB'],
    )
    assert.doesNotMatch(text, /accountNode|historyIndex|logsIndexedFrom/)
  })

  it('of a new directory lists no kinds', () => {
    assert.match(renderStats(stats({ meta: 0, account: 0 })), /\n\nall +0 B\n/)
  })
})
