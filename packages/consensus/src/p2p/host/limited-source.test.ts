import assert from 'node:assert/strict'
import { concatBytes } from '@keelson/primitives'
import { createManualClock, createTokenBucket } from '@keelson/runtime'
import { limitUntil, paced } from './limited-source.ts'

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [i, size] of sizes.entries()) yield new Uint8Array(size).fill(i + 1)
}

describe('a source of untrusted data', () => {
  it('yields small pieces before a protocol is negotiated, and then everything, in order', async () => {
    let isDone = false
    const pieces: Uint8Array[] = []
    for await (const piece of limitUntil(chunks(1_000, 5_000), () => isDone, 512)) {
      pieces.push(piece)
      if (pieces.length === 2) isDone = true
    }
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [64, 64, 872, 5_000],
    )
    assert.deepEqual(concatBytes(...pieces), concatBytes(new Uint8Array(1_000).fill(1), new Uint8Array(5_000).fill(2)))
  })

  it('fails when no protocol is negotiated within the limit', async () => {
    let given = 0
    const read = async () => {
      for await (const piece of limitUntil(chunks(300, 300, 300), () => false, 512)) given += piece.length
    }
    await assert.rejects(read, /after 512 bytes/)
    assert.ok(given <= 512 + 64)
  })

  it('is read no faster than its token bucket allows', async () => {
    const clock = createManualClock(1_800_000_000_000)
    let read = 0
    const reading = (async () => {
      for await (const piece of paced(chunks(320), 32, createTokenBucket({ perSec: 32, burst: 64 }, clock))) read += piece.length
    })()
    await clock.advance(0)
    assert.equal(read, 64)
    await clock.advance(1_000)
    assert.equal(read, 96)
    await clock.advance(7_000)
    await reading
    assert.equal(read, 320)
  })
})
