/** Persists transactions before they are sent, so that a restart resumes them with the same nonces. */
import {
  type Address,
  bytesToBigint,
  CodecError,
  concatBytes,
  type Hash,
  hexToBytes,
  type RlpInput,
  rlpBigint,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  rlpNumber,
  toAddress,
  toHash,
  u64ToBytes,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import type { TransactionFees } from './fees.ts'

export interface JournalEntry {
  readonly nonce: bigint
  readonly label: string
  readonly to: Address | null
  readonly data: Uint8Array
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly blobs: readonly Uint8Array[]
  readonly fees: TransactionFees
  /** Hashes of versions that may have been sent, oldest first. */
  readonly attempts: readonly Hash[]
}

export interface TransactionJournal {
  load(): Promise<readonly JournalEntry[]>
  put(entry: JournalEntry): Promise<void>
  /** `payment` is the cost of a settled transaction. */
  remove(nonce: bigint, payment?: Payment): Promise<void>
  /** Returns payments since `sinceMs`, oldest first, and deletes older ones. */
  loadPayments(sinceMs: number, nowMs: number): Promise<readonly Payment[]>
}

export interface Payment {
  readonly atMs: number
  readonly feeWei: bigint
}

/** For the store of a journal that is damaged. */
export const DAMAGED_JOURNAL_REMEDY =
  'the journal holds the transactions on their way and what the last hour cost; keep a copy, remove it, and start again once the account has no pending transactions'

/** Keys: bucket, chain id, account, time (payments only), nonce. */
const BUCKET = 0xf0
const PAYMENT_BUCKET = 0xf1
const FORMAT = 1
const NONCE_BYTES = 8

export function createTransactionJournal(
  store: Pick<KeyValueStore, 'range' | 'batch'>,
  chainId: bigint,
  account: Address,
): TransactionJournal {
  const unreadable = (what: string, why: string, cause?: unknown) =>
    new ClientError(
      'client/journal',
      'critical',
      `the journal of ${account} on chain ${chainId} has a record of ${what} that cannot be read (${why}): ${DAMAGED_JOURNAL_REMEDY}`,
      {},
      { cause },
    )
  function readable<T>(what: string, decode: () => T): T {
    try {
      return decode()
    } catch (error) {
      if (error instanceof CodecError) throw unreadable(what, error.message, error)
      throw error
    }
  }
  const owner = concatBytes(u64ToBytes(chainId), hexToBytes(account))
  const keyOf = (nonce: bigint) => concatBytes(Uint8Array.of(BUCKET), owner, u64ToBytes(nonce))
  const paymentKey = (atMs: number, nonce: bigint) =>
    concatBytes(Uint8Array.of(PAYMENT_BUCKET), owner, u64ToBytes(BigInt(atMs)), u64ToBytes(nonce))
  return {
    async load() {
      const entries: JournalEntry[] = []
      const end = concatBytes(keyOf(2n ** 64n - 1n), Uint8Array.of(0))
      for await (const [key, value] of store.range(keyOf(0n), end)) {
        const nonce = bytesToBigint(key.subarray(key.length - NONCE_BYTES))
        const entry = readable(`the transaction with nonce ${nonce}`, () => decodeEntry(value))
        if (entry.nonce !== nonce) throw unreadable(`the transaction with nonce ${nonce}`, `it has nonce ${entry.nonce}`)
        entries.push(entry)
      }
      return entries
    },
    put: (entry) => store.batch([{ put: keyOf(entry.nonce), value: encodeEntry(entry) }], { sync: true }),
    remove: (nonce, payment) =>
      store.batch(
        [
          { del: keyOf(nonce) },
          ...(payment === undefined ? [] : [{ put: paymentKey(payment.atMs, nonce), value: rlpEncode([payment.atMs, payment.feeWei]) }]),
        ],
        { sync: true },
      ),
    async loadPayments(sinceMs, nowMs) {
      const payments: Payment[] = []
      const changes: KeyValueOp[] = []
      const end = paymentKey(Number.MAX_SAFE_INTEGER, 0n)
      for await (const [key, value] of store.range(paymentKey(0, 0n), end)) {
        const payment = readable('a payment', () => decodePayment(value))
        const atMs = Math.min(payment.atMs, nowMs)
        if (atMs >= sinceMs) payments.push({ ...payment, atMs })
        if (atMs < sinceMs || atMs !== payment.atMs) changes.push({ del: key })
        if (atMs >= sinceMs && atMs !== payment.atMs) {
          const nonce = bytesToBigint(key.subarray(key.length - NONCE_BYTES))
          changes.push({ put: paymentKey(atMs, nonce), value: rlpEncode([atMs, payment.feeWei]) })
        }
      }
      if (changes.length > 0) await store.batch(changes)
      return payments
    },
  }
}

function encodeEntry(entry: JournalEntry): Uint8Array {
  const { fees } = entry
  const feeFields: RlpInput[] = [fees.maxFeePerGasWei, fees.maxPriorityFeePerGasWei]
  if (fees.maxFeePerBlobGasWei !== null) feeFields.push(fees.maxFeePerBlobGasWei)
  return rlpEncode([
    FORMAT,
    entry.nonce,
    new TextEncoder().encode(entry.label),
    entry.to === null ? new Uint8Array(0) : hexToBytes(entry.to),
    entry.data,
    entry.valueWei,
    entry.gasLimit,
    [...entry.blobs],
    feeFields,
    entry.attempts.map((hash) => hexToBytes(hash)),
  ])
}

function decodePayment(value: Uint8Array): Payment {
  const fields = rlpList(rlpDecode(value), 'payment')
  return { atMs: rlpNumber(fields[0], 'time'), feeWei: rlpBigint(fields[1], 'fee') }
}

function decodeEntry(value: Uint8Array): JournalEntry {
  const f = rlpList(rlpDecode(value), 'journal entry')
  const format = rlpNumber(f[0], 'format')
  if (format !== FORMAT) throw new CodecError('codec/number', `format: ${format}, this release reads ${FORMAT}`)
  const to = rlpBytes(f[3], 'to')
  const fees = rlpList(f[8], 'fees')
  return {
    nonce: rlpBigint(f[1], 'nonce', 8),
    label: new TextDecoder().decode(rlpBytes(f[2], 'label')),
    to: to.length === 0 ? null : toAddress(to),
    data: rlpBytes(f[4], 'data'),
    valueWei: rlpBigint(f[5], 'value'),
    gasLimit: rlpBigint(f[6], 'gas limit', 8),
    blobs: rlpList(f[7], 'blobs').map((blob) => rlpBytes(blob, 'blob')),
    fees: {
      maxFeePerGasWei: rlpBigint(fees[0], 'maxFeePerGas'),
      maxPriorityFeePerGasWei: rlpBigint(fees[1], 'maxPriorityFeePerGas'),
      maxFeePerBlobGasWei: fees[2] === undefined ? null : rlpBigint(fees[2], 'maxFeePerBlobGas'),
    },
    attempts: rlpList(f[9], 'attempts').map((hash) => toHash(rlpBytes(hash, 'attempt', 32))),
  }
}
