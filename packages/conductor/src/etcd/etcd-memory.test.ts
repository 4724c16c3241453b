import assert from 'node:assert/strict'
import { utf8ToBytes } from '@keelson/primitives'
import { createMemoryStore, createSilentLogger } from '@keelson/runtime'
import { BUCKETS } from '../buckets.ts'
import { openEtcdMemory } from './etcd-memory.ts'

const HEAD = { number: 5, hash: `0x${'01'.repeat(32)}`, moves: 0 }
const GOOD = { cluster: 'a', revision: '7', term: 2, head: HEAD }

function open(record: unknown) {
  const store = createMemoryStore()
  void store.batch([{ put: Uint8Array.of(BUCKETS.etcd), value: utf8ToBytes(JSON.stringify(record)) }])
  return openEtcdMemory(store, createSilentLogger()).known
}

describe('what a conductor remembers of etcd', () => {
  it('is read as it was written', () => {
    assert.deepEqual(open(GOOD), { ...GOOD, revision: 7n })
    assert.deepEqual(open({ ...GOOD, head: null }), { ...GOOD, revision: 7n, head: null })
  })

  for (const [name, record] of Object.entries({
    'no object': [],
    'no cluster': { ...GOOD, cluster: undefined },
    'no revision': { ...GOOD, revision: undefined },
    'no term': { ...GOOD, term: undefined },
    'a term that is text': { ...GOOD, term: 'x' },
    'a head without a number': { ...GOOD, head: { ...HEAD, number: undefined } },
    'a head with half a hash': { ...GOOD, head: { ...HEAD, hash: '0x01' } },
    'a head with broken moves': { ...GOOD, head: { ...HEAD, moves: 0.5 } },
  })) {
    it(`is not guessed from a record that has ${name}, and the remedy is named`, () => {
      assert.throws(() => open(record), { code: 'consensus/conductor', severity: 'critical', message: /conductor forget-etcd/ })
    })
  }
})
