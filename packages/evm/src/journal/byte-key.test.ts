import assert from 'node:assert/strict'
import { bigintToBytes } from '@keelson/primitives'
import { CoreMemory } from '../wasm/memory.ts'
import { addressKeyAt, bytesKey, keyBytes, wordKeyAt } from './byte-key.ts'

const AT = 64

describe('map keys of addresses and words', () => {
  for (const length of [20, 32]) {
    const samples = [0n, 1n, 0x80n, 0xd800n, 2n ** BigInt(8 * length) - 1n, 2n ** BigInt(8 * length - 1)].map((n) =>
      bigintToBytes(n, length),
    )
    samples.push(Uint8Array.from({ length }, (_, i) => i + 0xd0))

    it(`hold ${length} bytes without loss`, () => {
      assert.deepEqual(
        samples.map((bytes) => keyBytes(bytesKey(bytes))),
        samples,
      )
      assert.equal(new Set(samples.map(bytesKey)).size, samples.length)
    })

    it(`are the same for ${length} bytes and for their limbs in memory`, () => {
      const memory = new CoreMemory({ buffer: new ArrayBuffer(256) })
      for (const bytes of samples) {
        if (length === 20) memory.setAddress(AT, bytes)
        else memory.setWord(AT, bytes)
        const key = length === 20 ? addressKeyAt(memory.view, AT) : wordKeyAt(memory.view, AT)
        assert.equal(key, bytesKey(bytes))
      }
    })
  }
})
