import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { SigningKey, Wallet } from 'ethers'
import fc from 'fast-check'
import { bigintToBytes } from '../bytes.ts'
import { bytesToHex } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import { SECP256K1_HALF_ORDER } from './crypto.ts'
import { createPureCrypto } from './pure-crypto.ts'

const crypto = createPureCrypto()
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes[0] !== 255 && bytes.some((byte) => byte !== 0))
const message = fc.uint8Array({ maxLength: 100 })

describe('pure crypto', () => {
  it('signs as ethers does: deterministic, with a low s', () => {
    fc.assert(
      fc.property(key, message, (privateKey, data) => {
        const digest = keccak256(data)
        const ours = crypto.sign(digest, privateKey)
        const theirs = new SigningKey(privateKey).sign(digest)
        assert.deepEqual(
          { r: ours.r, s: ours.s, yParity: ours.yParity },
          { r: BigInt(theirs.r), s: BigInt(theirs.s), yParity: theirs.yParity },
        )
        assert.ok(ours.s <= SECP256K1_HALF_ORDER)
      }),
      { numRuns: 15 },
    )
  })

  it('recovers the public key of the signer, which is the one ethers computes', () => {
    fc.assert(
      fc.property(key, message, (privateKey, data) => {
        const digest = keccak256(data)
        const recovered = crypto.recoverKey(digest, crypto.sign(digest, privateKey)) ?? new Uint8Array()
        assert.equal(bytesToHex(recovered), new SigningKey(privateKey).publicKey)
      }),
      { numRuns: 5 },
    )
    assert.equal(crypto.recoverKey(keccak256(new Uint8Array()), { r: 0n, s: 1n, yParity: 0 }), null)
  })

  it('recovers the address of the signer, which is the one ethers computes', () => {
    fc.assert(
      fc.property(key, message, (privateKey, data) => {
        const digest = keccak256(data)
        const address = new Wallet(bytesToHex(privateKey)).address.toLowerCase()
        assert.equal(bytesToHex(crypto.addressOf(privateKey)), address)
        assert.equal(bytesToHex(crypto.recover(digest, crypto.sign(digest, privateKey)) ?? new Uint8Array()), address)
      }),
      { numRuns: 10 },
    )
  })

  it('has no signer where the numbers are out of range or no point has them', () => {
    const digest = keccak256(new Uint8Array(1))
    const order = 2n * SECP256K1_HALF_ORDER + 1n
    for (const [r, s] of [
      [0n, 1n],
      [1n, 0n],
      [order, 1n],
      [1n, order],
      [5n, 1n],
      [(1n << 256n) - 1n, 1n],
    ] as const) {
      assert.equal(crypto.recover(digest, { r, s, yParity: 0 }), null, `r ${r} s ${s}`)
    }
  })

  it('hashes as node:crypto does', () => {
    fc.assert(
      fc.property(message, (data) =>
        assert.equal(Buffer.from(crypto.sha256(data)).toString('hex'), createHash('sha256').update(data).digest('hex')),
      ),
    )
    assert.equal(bigintToBytes(SECP256K1_HALF_ORDER, 32).length, 32)
  })
})
