/** EIPs 2718, 155, 2930, 1559, 4844, 7702; OP deposits 0x7e and post-execution transactions 0x7d */
import { CodecError } from '../errors.ts'
import { type RlpItem, rlpBigint, rlpBytes, rlpDecode, rlpList, rlpNumber } from '../rlp.ts'
import {
  type AccessList,
  type Authorization,
  type DepositTransaction,
  type LegacyTransaction,
  type Signature,
  type SignedTransaction,
  type Transaction,
  TX_ACCESS_LIST,
  TX_BLOB,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  TX_LEGACY,
  TX_POST_EXEC,
  TX_SET_CODE,
} from './transaction.ts'
import { withEncoding } from './with-encoding.ts'

/** Keeps a reference to `raw`, which must not change. Throws CodecError (`codec/transaction` or `codec/rlp`). */
export function decodeTransaction(raw: Uint8Array): Transaction {
  const first = raw[0]
  if (first === undefined) throw new CodecError('codec/transaction', 'empty transaction')
  if (first >= 0xc0) return decodeLegacy(raw)
  if (first > 0x7f) throw new CodecError('codec/transaction', `0x${first.toString(16)} is not a transaction type`)
  const fields = rlpList(rlpDecode(raw.subarray(1)), `transaction of type ${first}`)
  switch (first) {
    case TX_ACCESS_LIST:
    case TX_FEE_MARKET:
    case TX_BLOB:
    case TX_SET_CODE:
      return decodeTyped(first, fields, raw)
    case TX_DEPOSIT:
      return decodeDeposit(fields, raw)
    case TX_POST_EXEC:
      return withEncoding({ type: TX_POST_EXEC, payload: raw.subarray(1) } as const, raw)
    default:
      throw new CodecError('codec/transaction', `transaction type ${first} is not supported`, { type: first })
  }
}

/** Rejects deposits, which only L1 can create, and post-execution transactions, which only a sequencer appends to its block. */
export function decodeSignedTransaction(raw: Uint8Array): SignedTransaction {
  const tx = decodeTransaction(raw)
  if (tx.type === TX_DEPOSIT) throw new CodecError('codec/transaction', 'a deposit (type 126) cannot be submitted')
  if (tx.type === TX_POST_EXEC)
    throw new CodecError('codec/transaction', 'a post-execution transaction (type 125) cannot be submitted: only sequencers append it')
  return tx
}

function expectLength(fields: readonly RlpItem[], expected: number, type: number): void {
  if (fields.length !== expected) {
    throw new CodecError('codec/transaction', `transaction of type ${type}: expected ${expected} fields, got ${fields.length}`)
  }
}

function decodeTo(item: RlpItem | undefined): Uint8Array | null {
  const to = rlpBytes(item, 'to')
  if (to.length === 0) return null
  return rlpBytes(to, 'to', 20)
}

function decodeLegacy(raw: Uint8Array): LegacyTransaction {
  const f = rlpList(rlpDecode(raw), 'legacy transaction')
  expectLength(f, 9, TX_LEGACY)
  const v = rlpBigint(f[6], 'v')
  if (v !== 27n && v !== 28n && v < 35n) throw new CodecError('codec/transaction', `v ${v} is neither 27, 28 nor an EIP-155 value`)
  const protectedV = v >= 35n
  return withEncoding(
    {
      type: TX_LEGACY,
      chainId: protectedV ? (v - 35n) / 2n : null,
      nonce: rlpBigint(f[0], 'nonce', 8),
      gasPriceWei: rlpBigint(f[1], 'gasPrice'),
      gasLimit: rlpBigint(f[2], 'gas', 8),
      to: decodeTo(f[3]),
      valueWei: rlpBigint(f[4], 'value'),
      data: rlpBytes(f[5], 'data'),
      signature: {
        yParity: (protectedV ? Number((v - 35n) % 2n) : Number(v - 27n)) as 0 | 1,
        r: rlpBigint(f[7], 'r'),
        s: rlpBigint(f[8], 's'),
      },
    } as const,
    raw,
  )
}

const FIELD_COUNT = { [TX_ACCESS_LIST]: 11, [TX_FEE_MARKET]: 12, [TX_BLOB]: 14, [TX_SET_CODE]: 13 } as const

function decodeTyped(
  type: typeof TX_ACCESS_LIST | typeof TX_FEE_MARKET | typeof TX_BLOB | typeof TX_SET_CODE,
  f: readonly RlpItem[],
  raw: Uint8Array,
): SignedTransaction {
  expectLength(f, FIELD_COUNT[type], type)
  const dynamic = type !== TX_ACCESS_LIST
  const at = dynamic ? 4 : 3
  const call = {
    chainId: rlpBigint(f[0], 'chainId'),
    nonce: rlpBigint(f[1], 'nonce', 8),
    gasLimit: rlpBigint(f[at], 'gas', 8),
    to: decodeTo(f[at + 1]),
    valueWei: rlpBigint(f[at + 2], 'value'),
    data: rlpBytes(f[at + 3], 'data'),
    accessList: decodeAccessList(f[at + 4]),
    signature: decodeSignature(f.slice(-3)),
  }
  if (type === TX_ACCESS_LIST) return withEncoding({ type, ...call, gasPriceWei: rlpBigint(f[2], 'gasPrice') } as const, raw)
  const fees = {
    maxPriorityFeePerGasWei: rlpBigint(f[2], 'maxPriorityFeePerGas'),
    maxFeePerGasWei: rlpBigint(f[3], 'maxFeePerGas'),
  }
  if (type === TX_FEE_MARKET) return withEncoding({ type, ...call, ...fees } as const, raw)
  if (type === TX_BLOB) {
    if (call.to === null) throw new CodecError('codec/transaction', 'a blob transaction cannot create a contract')
    return withEncoding(
      {
        type,
        ...call,
        ...fees,
        maxFeePerBlobGasWei: rlpBigint(f[9], 'maxFeePerBlobGas'),
        blobVersionedHashes: rlpList(f[10], 'blobVersionedHashes').map((hash) => rlpBytes(hash, 'blobVersionedHash', 32)),
      } as const,
      raw,
    )
  }
  if (call.to === null) throw new CodecError('codec/transaction', 'a set-code transaction cannot create a contract')
  return withEncoding({ type, ...call, ...fees, authorizationList: decodeAuthorizations(f[9]) } as const, raw)
}

function decodeSignature(f: readonly RlpItem[]): Signature {
  const yParity = rlpNumber(f[0], 'yParity')
  if (yParity > 1) throw new CodecError('codec/transaction', `yParity must be 0 or 1, got ${yParity}`)
  return { yParity: yParity as 0 | 1, r: rlpBigint(f[1], 'r'), s: rlpBigint(f[2], 's') }
}

function decodeAccessList(item: RlpItem | undefined): AccessList {
  return rlpList(item, 'accessList').map((entry) => {
    const pair = rlpList(entry, 'accessList entry')
    if (pair.length !== 2) throw new CodecError('codec/transaction', `accessList entry: expected 2 fields, got ${pair.length}`)
    return {
      address: rlpBytes(pair[0], 'accessList address', 20),
      slots: rlpList(pair[1], 'accessList slots').map((slot) => rlpBytes(slot, 'accessList slot', 32)),
    }
  })
}

function decodeAuthorizations(item: RlpItem | undefined): Authorization[] {
  return rlpList(item, 'authorizationList').map((entry) => {
    const f = rlpList(entry, 'authorization')
    if (f.length !== 6) throw new CodecError('codec/transaction', `authorization: expected 6 fields, got ${f.length}`)
    return {
      chainId: rlpBigint(f[0], 'authorization chainId'),
      address: rlpBytes(f[1], 'authorization address', 20),
      nonce: rlpBigint(f[2], 'authorization nonce', 8),
      yParity: Number(rlpBigint(f[3], 'authorization yParity', 1)),
      r: rlpBigint(f[4], 'authorization r'),
      s: rlpBigint(f[5], 'authorization s'),
    }
  })
}

function decodeDeposit(f: readonly RlpItem[], raw: Uint8Array): DepositTransaction {
  expectLength(f, 8, TX_DEPOSIT)
  const isSystemTx = rlpNumber(f[6], 'isSystemTx')
  if (isSystemTx > 1) throw new CodecError('codec/transaction', `isSystemTx must be 0 or 1, got ${isSystemTx}`)
  return withEncoding(
    {
      type: TX_DEPOSIT,
      sourceHash: rlpBytes(f[0], 'sourceHash', 32),
      from: rlpBytes(f[1], 'from', 20),
      to: decodeTo(f[2]),
      mintWei: rlpBigint(f[3], 'mint'),
      valueWei: rlpBigint(f[4], 'value'),
      gasLimit: rlpBigint(f[5], 'gas', 8),
      isSystemTx: isSystemTx === 1,
      data: rlpBytes(f[7], 'data'),
    } as const,
    raw,
  )
}
