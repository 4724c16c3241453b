import { CodecError } from '../errors.ts'
import type { Address } from '../hex.ts'
import { type Hash, hexToBytes, toAddress } from '../hex.ts'
import { type RlpInput, type RlpItem, rlpBigint, rlpBytes, rlpDecode, rlpEncode, rlpList } from '../rlp.ts'
import { decodeTransaction } from '../tx/decode-transaction.ts'
import { type Transaction, TX_LEGACY } from '../tx/transaction.ts'
import { decodeHeader, type Header, hashHeader, headerFields } from './header.ts'

/** EIP-4895 */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Address
  readonly amountGwei: bigint
}

export interface Block {
  readonly hash: Hash
  readonly header: Header
  readonly transactions: readonly Transaction[]
  /** Null before Shanghai (Canyon on L2); empty on L2 from then on. */
  readonly withdrawals: readonly Withdrawal[] | null
}

export function withdrawalFields(w: Withdrawal): RlpInput {
  return [w.index, w.validatorIndex, hexToBytes(w.address), w.amountGwei]
}

export function encodeWithdrawal(w: Withdrawal): Uint8Array {
  return rlpEncode(withdrawalFields(w))
}

export function encodeBlock(block: Block): Uint8Array {
  const txs = block.transactions.map((tx) => (tx.type === TX_LEGACY ? (rlpDecode(tx.raw) as RlpInput) : tx.raw))
  const fields: RlpInput[] = [headerFields(block.header), txs, []]
  if (block.withdrawals !== null) fields.push(block.withdrawals.map(withdrawalFields))
  return rlpEncode(fields)
}

/** Does not check roots. Throws CodecError. */
export function decodeBlock(raw: Uint8Array): Block {
  const f = rlpList(rlpDecode(raw), 'block')
  if (f.length !== 3 && f.length !== 4) throw new CodecError('codec/rlp', `block with ${f.length} fields; expected 3 or 4`)
  const header = decodeHeader(rlpEncode(rlpList(f[0], 'block header') as RlpInput))
  return blockOfBody({ hash: hashHeader(header), header }, f.slice(1))
}

/** The fields are transactions, ommers and perhaps withdrawals. Does not check roots. Throws CodecError. */
export function blockOfBody({ hash, header }: Pick<Block, 'hash' | 'header'>, fields: readonly RlpItem[]): Block {
  if (fields.length !== 2 && fields.length !== 3) throw new CodecError('codec/rlp', `body with ${fields.length} fields; expected 2 or 3`)
  const transactions = rlpList(fields[0], 'block transactions').map((item: RlpItem) =>
    decodeTransaction(item instanceof Uint8Array ? item : rlpEncode(item as RlpInput)),
  )
  return { hash, header, transactions, withdrawals: fields[2] === undefined ? null : decodeWithdrawals(fields[2]) }
}

function decodeWithdrawals(item: RlpItem): Withdrawal[] {
  return rlpList(item, 'withdrawals').map((entry) => {
    const w = rlpList(entry, 'withdrawal')
    if (w.length !== 4) throw new CodecError('codec/rlp', `withdrawal with ${w.length} fields; expected 4`)
    return {
      index: rlpBigint(w[0], 'withdrawal index', 8),
      validatorIndex: rlpBigint(w[1], 'withdrawal validator', 8),
      address: toAddress(rlpBytes(w[2], 'withdrawal address', 20)),
      amountGwei: rlpBigint(w[3], 'withdrawal amount', 8),
    }
  })
}
