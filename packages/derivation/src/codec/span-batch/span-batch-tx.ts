/**
 * protocol/delta/span-batches.md#span-batch-format, isthmus/derivation.md#span-batch-updates, lagoon/derivation.md#span-batch-updates
 */
import {
  type Bytes20,
  CodecError,
  decodeSignedTransaction,
  type RlpInput,
  type RlpItem,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  TX_ACCESS_LIST,
  TX_FEE_MARKET,
  TX_LEGACY,
  TX_POST_EXEC,
  TX_SET_CODE,
} from '@keelson/primitives'

export interface SplitTransaction {
  readonly type: number
  /** Null for creations of contracts and for post-execution transactions: both take no address from the list of recipients. */
  readonly to: Bytes20 | null
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly yParity: number
  readonly isProtected: boolean
  readonly r: Uint8Array
  readonly s: Uint8Array
  /** Type byte (none for legacy) and RLP list. */
  readonly data: Uint8Array
}

interface Shape {
  readonly valueAt: number
  readonly dynamicFee: boolean
  readonly lists: number
}

const SHAPES: Readonly<Record<number, Shape>> = {
  [TX_LEGACY]: { valueAt: 4, dynamicFee: false, lists: 0 },
  [TX_ACCESS_LIST]: { valueAt: 5, dynamicFee: false, lists: 1 },
  [TX_FEE_MARKET]: { valueAt: 6, dynamicFee: true, lists: 1 },
  [TX_SET_CODE]: { valueAt: 6, dynamicFee: true, lists: 2 },
}

function shapeOf(type: number): Shape {
  const shape = SHAPES[type]
  if (shape === undefined) throw new CodecError('codec/batch', `a span batch cannot hold transactions of type ${type}`)
  return shape
}

const padded = (item: Uint8Array): Uint8Array => {
  const out = new Uint8Array(32)
  out.set(item, 32 - item.length)
  return out
}

/** Throws CodecError for an unsupported type or a transaction of another chain. */
export function splitTransaction(raw: Uint8Array, chainId: bigint): SplitTransaction {
  if (raw[0] === TX_POST_EXEC) return splitPostExec(raw)
  const tx = decodeSignedTransaction(raw)
  const shape = shapeOf(tx.type)
  if (tx.chainId !== null && tx.chainId !== chainId) {
    throw new CodecError('codec/batch', `transaction ${tx.hash} is signed for chain ${tx.chainId}, expected ${chainId}`)
  }
  const fields = rlpList(rlpDecode(tx.type === TX_LEGACY ? raw : raw.subarray(1)), 'transaction')
  const feesAt = shape.valueAt - (shape.dynamicFee ? 4 : 3)
  const fees = fields.slice(feesAt, feesAt + (shape.dynamicFee ? 2 : 1))
  const kept = [fields[shape.valueAt], ...fees, ...fields.slice(shape.valueAt + 1, shape.valueAt + 2 + shape.lists)] as RlpInput[]
  const [r, s] = fields.slice(-2).map((item) => padded(rlpBytes(item, 'signature'))) as [Uint8Array, Uint8Array]
  return {
    type: tx.type,
    to: tx.to,
    nonce: tx.nonce,
    gasLimit: tx.gasLimit,
    yParity: tx.signature.yParity,
    isProtected: tx.chainId !== null,
    r,
    s,
    data: tx.type === TX_LEGACY ? rlpEncode(kept) : rlpEncode(kept, tx.type),
  }
}

/** The whole transaction is its data; every other part is empty or zero. lagoon/derivation.md#transposed-envelope-fields */
function splitPostExec(raw: Uint8Array): SplitTransaction {
  rlpList(rlpDecode(raw.subarray(1)), 'post-execution transaction')
  const [r, s] = [new Uint8Array(32), new Uint8Array(32)]
  return { type: TX_POST_EXEC, to: null, nonce: 0n, gasLimit: 0n, yParity: 0, isProtected: false, r, s, data: raw }
}

/**
 * "A decoder MUST verify that each of them is zero, and MUST reject the span batch if any of them is not." The payload stays opaque.
 * lagoon/derivation.md#unused-signature-and-gas-accounting-slots
 */
function joinPostExec({ to, nonce, gasLimit, yParity, r, s, data }: SplitTransaction): Uint8Array {
  const refuse = (problem: string) => new CodecError('codec/batch', `post-execution transaction in a span batch: ${problem}`)
  if (to !== null) throw refuse('its contract creation bit must be 1')
  if (nonce !== 0n || gasLimit !== 0n) throw refuse(`nonce and gas must be 0, got ${nonce} and ${gasLimit}`)
  if (yParity !== 0 || !isZero(r) || !isZero(s)) throw refuse('its signature must be zero')
  rlpList(rlpDecode(data.subarray(1)), 'post-execution transaction')
  return data
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Throws CodecError when the parts form no transaction. */
export function joinTransaction(split: SplitTransaction, chainId: bigint): Uint8Array {
  if (split.type === TX_POST_EXEC) return joinPostExec(split)
  const shape = shapeOf(split.type)
  if (split.type === TX_SET_CODE && split.to === null) {
    throw new CodecError('codec/batch', 'a set-code transaction cannot create a contract')
  }
  const feeCount = shape.dynamicFee ? 2 : 1
  const kept = rlpList(rlpDecode(split.type === TX_LEGACY ? split.data : split.data.subarray(1)), 'span batch transaction')
  const expected = 2 + feeCount + shape.lists
  if (kept.length !== expected) {
    throw new CodecError('codec/batch', `span batch transaction of type ${split.type}: expected ${expected} fields, got ${kept.length}`)
  }
  const value = integer(kept[0], 'value')
  const fees = kept.slice(1, 1 + feeCount).map((fee) => integer(fee, 'fee'))
  const data = rlpBytes(kept[1 + feeCount], 'data')
  const lists = kept.slice(2 + feeCount)
  checkLists(lists)
  const call: RlpInput[] = [split.gasLimit, split.to ?? new Uint8Array(0), value, data]
  const signature: RlpInput[] = [vOf(split, chainId), withoutLeadingZeros(split.r), withoutLeadingZeros(split.s)]
  const rest = [split.nonce, ...fees, ...call, ...(lists as RlpInput[]), ...signature]
  return split.type === TX_LEGACY ? rlpEncode(rest) : rlpEncode([chainId, ...rest], split.type)
}

function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.subarray(start)
}

/** protocol/delta/span-batches.md#store-y_parity-and-protected_bit-instead-of-v */
export function vOf(split: Pick<SplitTransaction, 'type' | 'isProtected' | 'yParity'>, chainId: bigint): bigint {
  const parity = BigInt(split.yParity)
  if (split.type !== TX_LEGACY) return parity
  return split.isProtected ? chainId * 2n + 35n + parity : 27n + parity
}

const AUTHORIZATION_BYTES = [32, 20, 8, 1, 32, 32] as const

function integer(item: RlpItem | undefined, what: string, most = Number.POSITIVE_INFINITY): Uint8Array {
  const bytes = rlpBytes(item, what)
  if (bytes.length > most) throw new CodecError('codec/batch', `span batch ${what} of ${bytes.length} bytes, at most ${most}`)
  if (bytes[0] === 0) throw new CodecError('codec/batch', `span batch ${what} has a leading zero`)
  return bytes
}

function checkLists(lists: readonly RlpItem[]): void {
  const [accessList, authorizations] = lists
  for (const entry of accessList === undefined ? [] : rlpList(accessList, 'access list')) {
    const pair = rlpList(entry, 'access list entry')
    if (pair.length !== 2) throw new CodecError('codec/batch', `access list entry: expected 2 fields, got ${pair.length}`)
    rlpBytes(pair[0], 'access list address', 20)
    for (const slot of rlpList(pair[1], 'access list slots')) rlpBytes(slot, 'access list slot', 32)
  }
  for (const entry of authorizations === undefined ? [] : rlpList(authorizations, 'authorization list')) {
    const fields = rlpList(entry, 'authorization')
    if (fields.length !== 6) throw new CodecError('codec/batch', `authorization: expected 6 fields, got ${fields.length}`)
    rlpBytes(fields[1], 'authorization address', 20)
    AUTHORIZATION_BYTES.forEach((most, at) => {
      if (at !== 1) integer(fields[at], 'authorization field', most)
    })
  }
}
