import type { BlockRules } from '@keelson/chainspec'
import type { SimulatedCall } from '@keelson/evm'
import {
  type Authorization,
  hexToBytes,
  parseAccessListJson,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
  TX_ACCESS_LIST,
  TX_BLOB,
  TX_FEE_MARKET,
  TX_LEGACY,
  TX_SET_CODE,
  type UnsignedTransaction,
} from '@keelson/primitives'
import { rpcError } from '../errors.ts'

export interface CallRequest {
  readonly from: Uint8Array
  readonly to: Uint8Array | null
  readonly gas: bigint | null
  readonly gasPriceWei: bigint | null
  readonly maxFeePerGasWei: bigint | null
  readonly maxPriorityFeePerGasWei: bigint | null
  readonly valueWei: bigint
  readonly nonce: bigint | null
  readonly data: Uint8Array
  readonly accessList: ReturnType<typeof parseAccessListJson> | null
  readonly authorizationList: readonly Authorization[] | null
  readonly blobVersionedHashes: readonly Uint8Array[] | null
  readonly maxFeePerBlobGasWei: bigint | null
}

/** Throws CodecError or invalid params. */
export function parseCallRequest(value: unknown): CallRequest {
  const o = parseJsonObject(value, 'call')
  const input = parseOptional(o.input, 'input', parseData)
  const data = parseOptional(o.data, 'data', parseData)
  if (input !== null && data !== null && !sameBytes(input, data)) {
    throw rpcError('dataAndInput')
  }
  const request = {
    from: parseOptional(o.from, 'from', bytes20) ?? new Uint8Array(20),
    to: parseOptional(o.to, 'to', bytes20),
    gas: parseOptional(o.gas, 'gas', parseQuantity64),
    gasPriceWei: parseOptional(o.gasPrice, 'gasPrice', parseQuantity),
    maxFeePerGasWei: parseOptional(o.maxFeePerGas, 'maxFeePerGas', parseQuantity),
    maxPriorityFeePerGasWei: parseOptional(o.maxPriorityFeePerGas, 'maxPriorityFeePerGas', parseQuantity),
    valueWei: parseOptional(o.value, 'value', parseQuantity) ?? 0n,
    nonce: parseOptional(o.nonce, 'nonce', parseQuantity64),
    data: input ?? data ?? new Uint8Array(0),
    accessList: parseOptional(o.accessList, 'accessList', parseAccessListJson),
    authorizationList: parseOptional(o.authorizationList, 'authorizationList', parseAuthorizations),
    blobVersionedHashes: parseOptional(o.blobVersionedHashes, 'blobVersionedHashes', (list, what) =>
      parseJsonArray(list, what, (hash, at) => hexToBytes(parseHash(hash, at))),
    ),
    maxFeePerBlobGasWei: parseOptional(o.maxFeePerBlobGas, 'maxFeePerBlobGas', parseQuantity),
  }
  if (request.gasPriceWei !== null && (request.maxFeePerGasWei !== null || request.maxPriorityFeePerGasWei !== null)) {
    throw rpcError('gasPriceAndMaxFee')
  }
  return request
}

export function simulatedCall(request: CallRequest, gasLimit: bigint, nonce: bigint, chainId: bigint, rules: BlockRules): SimulatedCall {
  const call = { nonce, gasLimit, to: request.to, valueWei: request.valueWei, data: request.data }
  const accessList = request.accessList ?? []
  const maxFeePerGasWei = request.maxFeePerGasWei ?? request.maxPriorityFeePerGasWei ?? 0n
  const fees = { maxFeePerGasWei, maxPriorityFeePerGasWei: request.maxPriorityFeePerGasWei ?? 0n }
  let tx: UnsignedTransaction
  if (request.authorizationList !== null && rules.setCodeTransactions) {
    tx = { type: TX_SET_CODE, chainId, ...call, ...fees, accessList, authorizationList: request.authorizationList }
  } else if (request.blobVersionedHashes !== null && rules.blobTransactions) {
    const blobs = { blobVersionedHashes: request.blobVersionedHashes, maxFeePerBlobGasWei: request.maxFeePerBlobGasWei ?? 0n }
    tx = { type: TX_BLOB, chainId, ...call, ...fees, accessList, ...blobs }
  } else if (request.gasPriceWei !== null || rules.feeSink === 'miner') {
    const gasPriceWei = request.gasPriceWei ?? 0n
    tx =
      request.accessList === null
        ? { type: TX_LEGACY, chainId: null, ...call, gasPriceWei }
        : { type: TX_ACCESS_LIST, chainId, ...call, gasPriceWei, accessList }
  } else {
    tx = { type: TX_FEE_MARKET, chainId, ...call, ...fees, accessList }
  }
  return { from: request.from, tx }
}

function bytes20(value: unknown, what: string): Uint8Array {
  return hexToBytes(parseAddress(value, what))
}

function parseAuthorizations(value: unknown, what: string): Authorization[] {
  return parseJsonArray(value, what, (entry, at) => {
    const o = parseJsonObject(entry, at)
    return {
      chainId: parseQuantity(o.chainId, `${at}.chainId`),
      address: bytes20(o.address, `${at}.address`),
      nonce: parseQuantity64(o.nonce, `${at}.nonce`),
      yParity: parseQuantityNumber(o.yParity ?? o.v, `${at}.yParity`),
      r: parseQuantity(o.r, `${at}.r`),
      s: parseQuantity(o.s, `${at}.s`),
    }
  })
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
