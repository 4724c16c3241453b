import assert from 'node:assert/strict'
import { concatBytes, rlpEncode } from '@keelson/primitives'
import fc from 'fast-check'
import { cutExportedBlocks } from './exported-stream.ts'

async function* inChunks(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function cut(bytes: Uint8Array, size: number): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = []
  for await (const block of cutExportedBlocks(inChunks(bytes, size))) blocks.push(block)
  return blocks
}

describe('a chain export as a stream', () => {
  it('is split into its blocks, whatever the chunks', async () => {
    const list = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }).map((items) => rlpEncode(items))
    await fc.assert(
      fc.asyncProperty(fc.array(list, { maxLength: 6 }), fc.integer({ min: 1, max: 400 }), async (blocks, size) => {
        assert.deepEqual(await cut(concatBytes(...blocks), size), blocks)
      }),
    )
  })

  it('reports the position where it is malformed', async () => {
    const block = rlpEncode([new Uint8Array(60)])
    await assert.rejects(cut(concatBytes(block, block.subarray(0, 20)), 7), {
      code: 'codec/rlp',
      message: /ends within a block that begins at byte 64/,
    })
    await assert.rejects(cut(concatBytes(block, Uint8Array.of(0x80)), 100), { message: /byte 64 of the file begins no RLP list/ })
    await assert.rejects(cut(Uint8Array.of(0xff, 1, 0, 0, 0, 0, 0, 0, 0), 100), {
      message: /byte 0 claims \d+ bytes; no block is that large/,
    })
  })
})
