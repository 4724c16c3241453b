import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { acceptsGzip, createCompressor, GZIP_FROM_BYTES } from './gzip.ts'

describe('compressed responses', () => {
  it('are sent to clients that accept them', () => {
    for (const header of ['gzip', 'br, gzip', 'GZIP;q=0.5', '*', 'identity;q=0, *;q=0.1', 'x-gzip', 'deflate;q=1, gzip ; q=0.001']) {
      assert.equal(acceptsGzip(header), true, header)
    }
    for (const header of [undefined, '', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=0.0, *', 'gzipped', 'gzip;q=x']) {
      assert.equal(acceptsGzip(header), false, String(header))
    }
  })

  it('have a minimum size', async () => {
    const compressor = createCompressor()
    assert.equal(compressor.compress(Buffer.alloc(GZIP_FROM_BYTES - 1), 'gzip'), null)
    assert.equal(compressor.compress(Buffer.alloc(GZIP_FROM_BYTES), 'br'), null)
    const text = '{"jsonrpc":"2.0"}'.repeat(1000)
    const compressed = await compressor.compress(Buffer.from(text), 'gzip, br')
    assert.ok(compressed !== null && compressed.length < 1000)
    assert.equal(gunzipSync(compressed).toString(), text)
  })

  it('leave threads to the store when many are requested at once', async () => {
    const compressor = createCompressor()
    const bytes = Buffer.alloc(100_000)
    const first = [1, 2, 3, 4].map(() => compressor.compress(bytes, 'gzip'))
    assert.deepEqual(
      first.map((compressed) => compressed !== null),
      [true, true, false, false],
    )
    await Promise.all(first)
    assert.notEqual(compressor.compress(bytes, 'gzip'), null)
  })
})
