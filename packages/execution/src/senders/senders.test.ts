import assert from 'node:assert/strict'
import {
  createPureCrypto,
  encodeSignedTransaction,
  SECP256K1_HALF_ORDER,
  signingDigest,
  TX_FEE_MARKET,
  toAddress,
  type UnsignedTransaction,
} from '@keelson/primitives'
import { createSenders } from './senders.ts'

const UNSIGNED: UnsignedTransaction = {
  type: TX_FEE_MARKET,
  chainId: 1n,
  nonce: 0n,
  maxPriorityFeePerGasWei: 1n,
  maxFeePerGasWei: 1n,
  gasLimit: 21_000n,
  to: new Uint8Array(20),
  valueWei: 1n,
  data: new Uint8Array(0),
  accessList: [],
}

/** 5^3 + 7 is not a square. */
const NOT_ON_THE_CURVE = 5n

describe('cached senders', () => {
  const pure = createPureCrypto()
  const keys = [1, 2].map((n) => new Uint8Array(32).fill(n))
  const sign = (key: Uint8Array) => pure.sign(signingDigest(UNSIGNED), key)

  function counting() {
    let recoveries = 0
    const senders = createSenders(
      {
        ...pure,
        recover(digest, signature) {
          recoveries++
          return pure.recover(digest, signature)
        },
      },
      16,
    )
    return { senders, recoveries: () => recoveries }
  }

  it('do not change when the same transaction has another signature', () => {
    const { senders, recoveries } = counting()
    for (let round = 0; round < 3; round++) {
      for (const key of keys) {
        const sender = senders.recover(encodeSignedTransaction(UNSIGNED, sign(key)))
        assert.deepEqual(sender, pure.addressOf(key), toAddress(pure.addressOf(key)))
      }
    }
    assert.equal(recoveries(), 2, 'once for each hash, which covers the signature')
  })

  it('stay rejected for a high s outside Frontier blocks', () => {
    const { senders, recoveries } = counting()
    const { r, s, yParity } = sign(keys[0] as Uint8Array)
    const high = encodeSignedTransaction(UNSIGNED, { r, s: 2n * SECP256K1_HALF_ORDER + 1n - s, yParity: (1 - yParity) as 0 | 1 })
    assert.equal(senders.recover(high), null)
    assert.deepEqual(senders.recover(high, false), pure.addressOf(keys[0] as Uint8Array))
    assert.equal(senders.recover(high), null, 'although its signer is cached')
    assert.equal(recoveries(), 1, 'refused without a recovery')
  })

  it('do not include invalid signatures', () => {
    const { senders, recoveries } = counting()
    const bad = encodeSignedTransaction(UNSIGNED, { ...sign(keys[0] as Uint8Array), r: NOT_ON_THE_CURVE })
    for (let round = 0; round < 3; round++) assert.equal(senders.recover(bad), null)
    assert.equal(recoveries(), 3)
  })
})
