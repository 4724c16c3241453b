import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import type { Bytes32 } from '@keelson/primitives'
import { memoizedCrypto } from './memoized-crypto.ts'

const real = createNativeCrypto()
const digest = new Uint8Array(32).fill(1) as Bytes32
const key = new Uint8Array(32).fill(2) as Bytes32
const signature = real.sign(digest, key)

describe('memoized crypto', () => {
  it('recovers a signer once, and gives each caller a copy', () => {
    let calls = 0
    const count =
      <A extends unknown[], R>(call: (...args: A) => R) =>
      (...args: A) => {
        calls++
        return call(...args)
      }
    const crypto = memoizedCrypto({ ...real, recover: count(real.recover), recoverKey: count(real.recoverKey) })
    crypto.recover(digest, signature)?.fill(0)
    crypto.recoverKey(digest, signature)?.fill(0)
    assert.deepEqual(crypto.recover(digest, signature), real.addressOf(key))
    assert.deepEqual(crypto.recoverKey(digest, signature), real.recoverKey(digest, signature))
    assert.equal(calls, 2)
  })

  it('does not mix up signatures that differ in one part', () => {
    const crypto = memoizedCrypto(real)
    const other = { ...signature, yParity: signature.yParity === 0 ? 1 : 0 } as const
    const another = new Uint8Array(32).fill(3) as Bytes32
    for (const [bytes, parts] of [
      [digest, signature],
      [digest, other],
      [another, signature],
      [digest, { ...signature, s: 0n }],
    ] as const) {
      assert.deepEqual(crypto.recover(bytes, parts), real.recover(bytes, parts))
    }
  })
})
