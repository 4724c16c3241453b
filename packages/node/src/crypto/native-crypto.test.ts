import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createPureCrypto } from '@keelson/primitives'
import { createKzg } from './kzg.ts'
import { createNativeCrypto } from './native-crypto.ts'

describe('native crypto', () => {
  const native = createNativeCrypto()
  const pure = createPureCrypto()

  it('signs and recovers as the pure implementation does', () => {
    for (let i = 0; i < 10; i++) {
      const key = new Uint8Array(randomBytes(32))
      const digest = new Uint8Array(randomBytes(32))
      const signature = native.sign(digest, key)
      assert.deepEqual(signature, pure.sign(digest, key))
      assert.deepEqual(Buffer.from(native.recover(digest, signature) ?? []), Buffer.from(pure.addressOf(key)))
      assert.deepEqual(native.recoverKey(digest, signature), pure.recoverKey(digest, signature))
      assert.deepEqual(Buffer.from(native.addressOf(key)), Buffer.from(pure.addressOf(key)))
      assert.deepEqual(native.sha256(digest), pure.sha256(digest))
    }
  })

  it('finds no signer for a signature out of range', () => {
    const digest = new Uint8Array(32).fill(1)
    for (const signature of [
      { yParity: 0, r: 0n, s: 1n },
      { yParity: 1, r: 1n << 255n, s: 2n ** 256n - 1n },
    ] as const) {
      assert.equal(native.recover(digest, signature), null)
      assert.equal(pure.recover(digest, signature), null)
    }
  })
})

describe('KZG worker', () => {
  it('commits to, proves and verifies a blob, and answers the precompile at once', async () => {
    const kzg = createKzg()
    const blob = new Uint8Array(131_072)
    blob[31] = 7
    const commitment = await kzg.blobToCommitment(blob)
    const proof = await kzg.blobProof(blob, commitment)
    assert.equal(await kzg.verifyBlobProof(blob, commitment, proof), true)
    blob[63] = 1
    assert.equal(await kzg.verifyBlobProof(blob, commitment, proof), false)
    // For the constant polynomial 0, commitment and proof are the point at infinity.
    const infinity = new Uint8Array(48)
    infinity[0] = 0xc0
    const zero = new Uint8Array(32)
    const one = new Uint8Array(32)
    one[31] = 1
    assert.equal(kzg.verifyProof(infinity, one, zero, infinity), true)
    assert.equal(kzg.verifyProof(infinity, one, one, infinity), false)
    await kzg.close()
  })
})
