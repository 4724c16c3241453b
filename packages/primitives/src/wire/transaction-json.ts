/** The fields must hash to the stated `hash`. execution-apis src/schemas/transaction.yaml */
import { CodecError } from '../errors.ts'
import { hexToBytes } from '../hex.ts'
import {
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
} from '../quantity.ts'
import { rlpDecode, rlpList } from '../rlp.ts'
import { encodeDeposit, encodeSignedTransaction } from '../tx/encode-transaction.ts'
import { postExecTransaction } from '../tx/post-exec.ts'
import {
  type AccessList,
  type Authorization,
  type CallFields,
  type FeeMarketFields,
  type Signature,
  type Transaction,
  TX_ACCESS_LIST,
  TX_BLOB,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  TX_LEGACY,
  TX_POST_EXEC,
  TX_SET_CODE,
  type UnsignedTransaction,
} from '../tx/transaction.ts'
import { PROBABLY_A_FORK } from './probably-a-fork.ts'

type Fields = Readonly<Record<string, unknown>>

const SIGNED_TYPES = [TX_LEGACY, TX_ACCESS_LIST, TX_FEE_MARKET, TX_BLOB, TX_SET_CODE] as const
type SignedType = (typeof SIGNED_TYPES)[number]

/** Throws CodecError `codec/transaction` for a wrong hash or an unknown type, with which no transactions root can be verified. */
export function parseTransactionJson(value: unknown, what = 'transaction'): Transaction {
  const o = parseJsonObject(value, what)
  const type = o.type === undefined || o.type === null ? TX_LEGACY : parseQuantityNumber(o.type, `${what}.type`)
  const tx = parseFields(o, type, what)
  const stated = parseOptional(o.hash, `${what}.hash`, parseHash)
  if (stated !== null && stated !== tx.hash) {
    throw new CodecError('codec/transaction', `${what}: its fields hash to ${tx.hash}, but the answer says ${stated}`)
  }
  return tx
}

function parseFields(o: Fields, type: number, what: string): Transaction {
  if (type === TX_DEPOSIT) return encodeDeposit(depositFields(o, what))
  return type === TX_POST_EXEC ? postExecTransaction(parsePostExecInput(o, what)) : parseSigned(o, type, what)
}

/** specs: protocol/lagoon/post-exec.md#generic-transaction-interface-representation */
function parsePostExecInput(o: Fields, what: string): Uint8Array {
  const payload = parseData(o.input, `${what}.input`)
  rlpList(rlpDecode(payload), `${what}.input`)
  return payload
}

function parseSigned(o: Fields, type: number, what: string): Transaction {
  if (!isSignedType(type)) {
    throw new CodecError('codec/transaction', `${what}: this release does not know transactions of type ${type}: ${PROBABLY_A_FORK}`, {
      type,
    })
  }
  const call = callFields(o, what)
  if (type === TX_LEGACY) {
    const v = parseQuantity(o.v, `${what}.v`)
    const protectedV = v >= 35n
    if (!protectedV && v !== 27n && v !== 28n)
      throw new CodecError('codec/transaction', `${what}.v: ${v} is neither 27, 28 nor an EIP-155 value`)
    const tx = {
      type,
      ...call,
      chainId: protectedV ? (v - 35n) / 2n : null,
      gasPriceWei: parseQuantity(o.gasPrice, `${what}.gasPrice`),
    } as const
    const yParity = protectedV ? (v - 35n) % 2n : v - 27n
    return encodeSignedTransaction(tx, { ...rs(o, what), yParity: Number(yParity) as 0 | 1 })
  }
  return encodeSignedTransaction(typedFields(o, type, call, what), typedSignature(o, what))
}

function isSignedType(type: number): type is SignedType {
  return (SIGNED_TYPES as readonly number[]).includes(type)
}

function typedFields(o: Fields, type: Exclude<SignedType, typeof TX_LEGACY>, call: CallFields, what: string): UnsignedTransaction {
  const chainId = parseQuantity(o.chainId, `${what}.chainId`)
  const accessList = parseAccessListJson(o.accessList, `${what}.accessList`)
  if (type === TX_ACCESS_LIST) return { type, ...call, chainId, accessList, gasPriceWei: parseQuantity(o.gasPrice, `${what}.gasPrice`) }
  const fees: FeeMarketFields = {
    chainId,
    accessList,
    maxFeePerGasWei: parseQuantity(o.maxFeePerGas, `${what}.maxFeePerGas`),
    maxPriorityFeePerGasWei: parseQuantity(o.maxPriorityFeePerGas, `${what}.maxPriorityFeePerGas`),
  }
  if (type === TX_FEE_MARKET) return { type, ...call, ...fees }
  if (type === TX_SET_CODE) {
    return {
      type,
      ...call,
      ...fees,
      authorizationList: parseJsonArray(o.authorizationList, `${what}.authorizationList`, parseAuthorization),
    }
  }
  return {
    type,
    ...call,
    ...fees,
    maxFeePerBlobGasWei: parseQuantity(o.maxFeePerBlobGas, `${what}.maxFeePerBlobGas`),
    blobVersionedHashes: parseJsonArray(o.blobVersionedHashes, `${what}.blobVersionedHashes`, (hash, at) => parseData(hash, at, 32)),
  }
}

function callFields(o: Fields, what: string): CallFields {
  return {
    nonce: parseQuantity64(o.nonce, `${what}.nonce`),
    gasLimit: parseQuantity64(o.gas, `${what}.gas`),
    to: parseTo(o, what),
    valueWei: parseQuantity(o.value, `${what}.value`),
    data: parseData(o.input, `${what}.input`),
  }
}

function parseTo(o: Fields, what: string): Uint8Array | null {
  return parseOptional(o.to, `${what}.to`, (to, at) => hexToBytes(parseAddress(to, at)))
}

function depositFields(o: Fields, what: string) {
  return {
    type: TX_DEPOSIT,
    sourceHash: parseData(o.sourceHash, `${what}.sourceHash`, 32),
    from: hexToBytes(parseAddress(o.from, `${what}.from`)),
    to: parseTo(o, what),
    mintWei: parseOptional(o.mint, `${what}.mint`, parseQuantity) ?? 0n,
    valueWei: parseQuantity(o.value, `${what}.value`),
    gasLimit: parseQuantity64(o.gas, `${what}.gas`),
    isSystemTx: o.isSystemTx === true,
    data: parseData(o.input, `${what}.input`),
  } as const
}

/** Rejects a missing list, which types with access lists always have. */
export function parseAccessListJson(value: unknown, what = 'accessList'): AccessList {
  return parseJsonArray(value, what, (entry, at) => {
    const o = parseJsonObject(entry, at)
    return {
      address: hexToBytes(parseAddress(o.address, `${at}.address`)),
      slots: parseJsonArray(o.storageKeys, `${at}.storageKeys`, (slot, where) => parseData(slot, where, 32)),
    }
  })
}

function parseAuthorization(value: unknown, what: string): Authorization {
  const o = parseJsonObject(value, what)
  return {
    chainId: parseQuantity(o.chainId, `${what}.chainId`),
    address: hexToBytes(parseAddress(o.address, `${what}.address`)),
    nonce: parseQuantity64(o.nonce, `${what}.nonce`),
    yParity: parseQuantityNumber(o.yParity ?? o.v, `${what}.yParity`),
    ...rs(o, what),
  }
}

function typedSignature(o: Fields, what: string): Signature {
  const yParity = parseQuantityNumber(o.yParity ?? o.v, `${what}.yParity`)
  if (yParity > 1) throw new CodecError('codec/transaction', `${what}.yParity must be 0 or 1, got ${yParity}`)
  return { ...rs(o, what), yParity: yParity as 0 | 1 }
}

/** Some nodes pad r and s to 32 bytes; the hash check covers the value. */
function rs(o: Fields, what: string): { readonly r: bigint; readonly s: bigint } {
  const read = (key: 'r' | 's') => {
    const value = o[key]
    if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value)
    throw new CodecError('codec/number', `${what}.${key}: expected up to 32 bytes of hex`)
  }
  return { r: read('r'), s: read('s') }
}
