import assert from 'node:assert/strict'
import * as wasm from './keccak.ts'
import * as browser from './keccak-browser.ts'

describe('the Keccak-256 of the pages', () => {
  it('has the functions and the results of the one in WebAssembly', () => {
    assert.deepEqual(Object.keys(browser).sort(), Object.keys(wasm).sort())
    for (const length of [0, 1, 135, 136, 137, 1_000]) {
      const data = new Uint8Array(length).fill(7)
      assert.deepEqual(browser.keccak256(data), wasm.keccak256(data))
      assert.equal(browser.keccak256Hash(data), wasm.keccak256Hash(data))
      const [a, b] = [new Uint8Array(40), new Uint8Array(40)]
      browser.keccak256Into(data, a, 5)
      wasm.keccak256Into(data, b, 5)
      assert.deepEqual(a, b)
      const [streamA, streamB] = [new browser.KeccakStream(), new wasm.KeccakStream()]
      for (const part of [data, data]) {
        streamA.update(part)
        streamB.update(part)
        assert.deepEqual(streamA.digest(), streamB.digest())
      }
    }
  })
})
