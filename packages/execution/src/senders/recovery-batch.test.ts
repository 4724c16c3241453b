import assert from 'node:assert/strict'
import { createPureCrypto, encodeSignedTransaction, type SignedTransaction, signingDigest, TX_FEE_MARKET } from '@keelson/primitives'
import { RecoveryBatch } from './recovery-batch.ts'
import { createSenders } from './senders.ts'

const COUNT = 12
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe('senders recovered by several threads', () => {
  const pure = createPureCrypto()
  const keys = Array.from({ length: COUNT }, (_, i) => new Uint8Array(32).fill(i + 1))
  const transactions = keys.map((key, i) => signed(key, i))
  const expected = keys.map((key) => pure.addressOf(key))

  function signed(key: Uint8Array, nonce: number, high = false): SignedTransaction {
    const unsigned = {
      type: TX_FEE_MARKET,
      chainId: 1n,
      nonce: BigInt(nonce),
      maxPriorityFeePerGasWei: 1n,
      maxFeePerGasWei: 1n,
      gasLimit: 21_000n,
      to: new Uint8Array(20),
      valueWei: 1n,
      data: new Uint8Array(nonce * 7),
      accessList: [],
    } as const
    const { r, s, yParity } = pure.sign(signingDigest(unsigned), key)
    const flipped = { r, s: SECP256K1_ORDER - s, yParity: (1 - yParity) as 0 | 1 }
    return encodeSignedTransaction(unsigned, high ? flipped : { r, s, yParity })
  }

  const settleAll = (batch: RecoveryBatch) => transactions.map((_, i) => batch.settle(i, pure))

  it('belong to their own transactions, whichever thread recovers them in whatever order', () => {
    const here = RecoveryBatch.create(transactions, true)
    const there = RecoveryBatch.open(here.shared)
    assert.deepEqual(here.settle(COUNT - 1, pure), expected[COUNT - 1])
    for (let i = 0; i < COUNT / 2; i++) there.recoverNext(pure)
    assert.deepEqual(here.settle(2, pure), expected[2])
    assert.deepEqual(settleAll(here), expected)
    assert.equal(there.recoverNext(pure), false)
  })

  it('are null for a signature that the rules refuse, here and in the other thread', () => {
    const list = [signed(keys[0] as Uint8Array, 0, true), transactions[1] as SignedTransaction]
    for (const lowSignatures of [true, false]) {
      const here = RecoveryBatch.create(list, lowSignatures)
      const there = RecoveryBatch.open(here.shared)
      while (there.recoverNext(pure));
      assert.deepEqual(here.settle(0, pure), lowSignatures ? null : expected[0])
      assert.deepEqual(here.settle(1, pure), expected[1])
    }
  })

  it('are recovered here when a thread dies with one in hand', () => {
    const here = RecoveryBatch.create(transactions, true)
    const dying = RecoveryBatch.open(here.shared)
    const crash = () => {
      throw new Error('the thread dies')
    }
    assert.throws(() => dying.recoverNext({ recover: crash }), /dies/)
    assert.deepEqual(settleAll(here), expected)
  })

  it('are recovered here when no thread ever starts', () => {
    const senders = createSenders(pure, COUNT, { help: () => undefined })
    const list = senders.recoverAll(transactions)
    assert.deepEqual(
      transactions.map((_, i) => list.at(i)),
      expected,
    )
  })

  it('are remembered under the hash of the transaction that holds the signature, and no other', () => {
    const shared: SharedArrayBuffer[] = []
    const senders = createSenders(pure, 4 * COUNT, { help: (batch) => shared.push(batch) })
    const list = senders.recoverAll(transactions)
    const there = RecoveryBatch.open(shared[0] as SharedArrayBuffer)
    while (there.recoverNext(pure));
    for (let i = COUNT - 1; i >= 0; i--) list.at(i)
    const other = keys.map((key, i) => signed(keys[(i + 1) % COUNT] ?? key, i))
    for (const [i, tx] of other.entries()) assert.deepEqual(senders.recover(tx), expected[(i + 1) % COUNT])
    for (const [i, tx] of transactions.entries()) assert.deepEqual(senders.recover(tx), expected[i])
    assert.equal(shared.length, 1)
    const again = senders.recoverAll(transactions)
    assert.deepEqual(again.at(3), expected[3])
    assert.equal(shared.length, 1, 'known senders are not recovered again')
  })

  it('are not remembered when a high s was accepted for a Frontier block', () => {
    const senders = createSenders(pure, 4 * COUNT, { help: () => undefined })
    const high = keys.map((key, i) => signed(key, i, true))
    const frontier = senders.recoverAll(high, false)
    const later = senders.recoverAll(high, true)
    for (const i of keys.keys()) {
      assert.deepEqual(frontier.at(i), expected[i])
      assert.equal(later.at(i), null)
    }
  })
})
