/** EIP-658, EIP-2718; deposits: specs protocol/deposits.md#deposit-receipt */
import { concatBytes } from '../bytes.ts'
import { CodecError } from '../errors.ts'
import { type Address, type Hash, hexToBytes, toAddress, toHash } from '../hex.ts'
import { type RlpInput, rlpBigint, rlpBytes, rlpDecode, rlpEncode, rlpList } from '../rlp.ts'
import { TX_DEPOSIT, TX_LEGACY } from '../tx/transaction.ts'

export interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Uint8Array
}

export interface Receipt {
  readonly type: number
  /** Before Byzantium, the state root replaces the status. */
  readonly outcome: { readonly status: 0 | 1 } | { readonly root: Hash }
  readonly cumulativeGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
  /** Sender's nonce, for deposits from Regolith; null otherwise. Encoded only with the version. */
  readonly depositNonce: bigint | null
  /** 1 for deposits from Canyon; null otherwise. */
  readonly depositReceiptVersion: bigint | null
}

export function encodeReceipt(r: Receipt): Uint8Array {
  const fields: RlpInput[] = [
    'root' in r.outcome ? hexToBytes(r.outcome.root) : r.outcome.status,
    r.cumulativeGasUsed,
    r.logsBloom,
    r.logs.map(logFields),
  ]
  if (r.depositReceiptVersion !== null) fields.push(r.depositNonce ?? 0n, r.depositReceiptVersion)
  const body = rlpEncode(fields)
  return r.type === TX_LEGACY ? body : concatBytes(Uint8Array.of(r.type), body)
}

export function logFields(log: Log): RlpInput {
  return [hexToBytes(log.address), log.topics.map((topic) => hexToBytes(topic)), log.data]
}

/** Throws CodecError (`codec/receipt` or `codec/rlp`). */
export function decodeReceipt(raw: Uint8Array): Receipt {
  const first = raw[0]
  if (first === undefined) throw new CodecError('codec/receipt', 'empty receipt')
  if (first < 0xc0 && (first === TX_LEGACY || first > 0x7f)) {
    throw new CodecError('codec/receipt', `0x${first.toString(16)} is not a receipt type`)
  }
  const type = first >= 0xc0 ? TX_LEGACY : first
  const f = rlpList(rlpDecode(type === TX_LEGACY ? raw : raw.subarray(1)), 'receipt')
  if (f.length !== 4 && !(type === TX_DEPOSIT && f.length === 6)) {
    throw new CodecError('codec/receipt', `receipt of type ${type} with ${f.length} fields`)
  }
  return {
    type,
    outcome: decodeOutcome(rlpBytes(f[0], 'receipt status')),
    cumulativeGasUsed: rlpBigint(f[1], 'cumulativeGasUsed', 8),
    logsBloom: rlpBytes(f[2], 'logsBloom', 256),
    logs: rlpList(f[3], 'logs').map((item) => {
      const log = rlpList(item, 'log')
      if (log.length !== 3) throw new CodecError('codec/receipt', `log with ${log.length} fields; expected 3`)
      return {
        address: toAddress(rlpBytes(log[0], 'log address', 20)),
        topics: rlpList(log[1], 'log topics').map((topic) => toHash(rlpBytes(topic, 'log topic', 32))),
        data: rlpBytes(log[2], 'log data'),
      }
    }),
    depositNonce: f.length === 6 ? rlpBigint(f[4], 'depositNonce') : null,
    depositReceiptVersion: f.length === 6 ? rlpBigint(f[5], 'depositReceiptVersion') : null,
  }
}

function decodeOutcome(bytes: Uint8Array): Receipt['outcome'] {
  if (bytes.length === 32) return { root: toHash(bytes) }
  const status = rlpBigint(bytes, 'receipt status', 1)
  if (status > 1n) throw new CodecError('codec/receipt', `receipt status must be 0 or 1, got ${status}`)
  return { status: status === 0n ? 0 : 1 }
}
