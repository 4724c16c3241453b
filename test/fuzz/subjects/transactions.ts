import assert from 'node:assert/strict'
import {
  createPureCrypto,
  decodeSignedTransaction,
  decodeTransaction,
  isSigned,
  recoverSender,
  type Transaction,
  TX_BLOB,
} from '@keelson/primitives'
import { hexlify, Transaction as OtherTransaction } from 'ethers'
import fc from 'fast-check'
import { brokenBytes } from '../mutate.ts'
import { defineSubject } from '../subject.ts'
import { reencode, transaction } from '../transactions.ts'
import { orCodecError } from './rlp.ts'

type Case =
  | { readonly kind: 'valid'; readonly tx: Transaction; readonly ask: number }
  | { readonly kind: 'broken'; readonly bytes: Uint8Array; readonly ask: number }

const ASKED_ONE_IN = 25

export const transactionSubject = defineSubject<Case>({
  name: 'transactions',
  cases: 250_000,
  caseLimitMs: 5_000,
  async open() {
    const crypto = createPureCrypto()
    return {
      arbitrary: fc.oneof(
        fc.record({ kind: fc.constant('valid' as const), tx: transaction, ask: fc.nat(ASKED_ONE_IN) }),
        fc.record({ kind: fc.constant('broken' as const), bytes: brokenBytes(transaction.map((tx) => tx.raw)), ask: fc.nat(ASKED_ONE_IN) }),
      ),
      check(value) {
        const raw = value.kind === 'valid' ? value.tx.raw : value.bytes
        const decoded = value.kind === 'valid' ? decodeTransaction(raw) : orCodecError(() => decodeTransaction(raw))
        const signed = orCodecError(() => decodeSignedTransaction(raw))
        assert.equal(signed === null, decoded === null || !isSigned(decoded))
        if (decoded === null) return
        assert.deepEqual(reencode(decoded), raw)
        if (!isSigned(decoded) || value.ask !== 0) return
        const sender = recoverSender(decoded, crypto)
        const other = judgeElsewhere(raw)
        // The other library is stricter with blob transactions and rejects an all-zero signature.
        if (other === null || other.hash === null || decoded.type === TX_BLOB) return
        assert.equal(other.hash, decoded.hash)
        if (other.from !== null && sender !== null) assert.equal(other.from.toLowerCase(), hexlify(sender))
      },
    }
  },
})

function judgeElsewhere(raw: Uint8Array): { readonly hash: string | null; readonly from: string | null } | null {
  try {
    const { hash, from } = OtherTransaction.from(hexlify(raw))
    return { hash, from }
  } catch {
    return null
  }
}
