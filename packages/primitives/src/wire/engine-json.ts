/** execution-apis src/engine; OP fields: specs protocol/exec-engine.md#engine-api */
import type {
  BuiltPayload,
  ExecutionPayload,
  ForkchoiceResult,
  ForkchoiceState,
  PayloadAttributes,
  PayloadId,
  PayloadStatus,
} from '../engine/engine-api.ts'
import { CodecError } from '../errors.ts'
import { type Hex, isHex } from '../hex.ts'
import {
  formatData,
  formatQuantity,
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
import { parseWithdrawalJson, withdrawalToJson } from './block-json.ts'

export type JsonObject = Readonly<Record<string, unknown>>

const NO_FIELDS: JsonObject = {}

export function payloadAttributesToJson(a: PayloadAttributes): JsonObject {
  return {
    timestamp: formatQuantity(a.timestampSec),
    prevRandao: a.prevRandao,
    suggestedFeeRecipient: a.feeRecipient,
    ...optional('withdrawals', a.withdrawals, (list) => list.map(withdrawalToJson)),
    ...optional('parentBeaconBlockRoot', a.parentBeaconBlockRoot, (root) => root),
    transactions: a.transactions.map(formatData),
    noTxPool: a.noTxPool,
    gasLimit: formatQuantity(a.gasLimit),
    ...optional('eip1559Params', a.eip1559Params, formatData),
    ...optional('minBaseFee', a.minBaseFeeWei, numberOrQuantity),
  }
}

/** Rejects a missing gasLimit. */
export function parsePayloadAttributesJson(value: unknown): PayloadAttributes {
  const what = 'payload attributes'
  const o = parseJsonObject(value, what)
  if (o.noTxPool !== undefined && o.noTxPool !== null && typeof o.noTxPool !== 'boolean') {
    throw new CodecError('codec/json', `${what}.noTxPool: expected true or false`)
  }
  return {
    timestampSec: parseQuantityNumber(o.timestamp, `${what}.timestamp`),
    prevRandao: parseHash(o.prevRandao, `${what}.prevRandao`),
    feeRecipient: parseAddress(o.suggestedFeeRecipient, `${what}.suggestedFeeRecipient`),
    withdrawals: parseOptional(o.withdrawals, `${what}.withdrawals`, parseWithdrawals),
    parentBeaconBlockRoot: parseOptional(o.parentBeaconBlockRoot, `${what}.parentBeaconBlockRoot`, parseHash),
    transactions: parseOptional(o.transactions, `${what}.transactions`, parseDataList) ?? [],
    noTxPool: o.noTxPool === true,
    gasLimit: parseQuantity64(o.gasLimit, `${what}.gasLimit`),
    eip1559Params: parseOptional(o.eip1559Params, `${what}.eip1559Params`, (v, w) => parseData(v, w, 8)),
    minBaseFeeWei: parseOptional(o.minBaseFee, `${what}.minBaseFee`, parseNumberOrQuantity),
  }
}

export function executionPayloadToJson(p: ExecutionPayload): JsonObject {
  return {
    parentHash: p.parentHash,
    feeRecipient: p.feeRecipient,
    stateRoot: p.stateRoot,
    receiptsRoot: p.receiptsRoot,
    logsBloom: formatData(p.logsBloom),
    prevRandao: p.prevRandao,
    blockNumber: formatQuantity(p.blockNumber),
    gasLimit: formatQuantity(p.gasLimit),
    gasUsed: formatQuantity(p.gasUsed),
    timestamp: formatQuantity(p.timestampSec),
    extraData: formatData(p.extraData),
    baseFeePerGas: formatQuantity(p.baseFeeWei),
    blockHash: p.blockHash,
    transactions: p.transactions.map(formatData),
    ...optional('withdrawals', p.withdrawals, (list) => list.map(withdrawalToJson)),
    ...optional('blobGasUsed', p.blobGasUsed, formatQuantity),
    ...optional('excessBlobGas', p.excessBlobGas, formatQuantity),
    ...optional('withdrawalsRoot', p.withdrawalsRoot, (root) => root),
  }
}

export function parseExecutionPayloadJson(value: unknown): ExecutionPayload {
  const what = 'payload'
  const o = parseJsonObject(value, what)
  const extraData = parseData(o.extraData, `${what}.extraData`)
  if (extraData.length > 32) throw new CodecError('codec/payload', `${what}.extraData: at most 32 bytes, got ${extraData.length}`)
  return {
    parentHash: parseHash(o.parentHash, `${what}.parentHash`),
    feeRecipient: parseAddress(o.feeRecipient, `${what}.feeRecipient`),
    stateRoot: parseHash(o.stateRoot, `${what}.stateRoot`),
    receiptsRoot: parseHash(o.receiptsRoot, `${what}.receiptsRoot`),
    logsBloom: parseData(o.logsBloom, `${what}.logsBloom`, 256),
    prevRandao: parseHash(o.prevRandao, `${what}.prevRandao`),
    blockNumber: parseQuantityNumber(o.blockNumber, `${what}.blockNumber`),
    gasLimit: parseQuantity64(o.gasLimit, `${what}.gasLimit`),
    gasUsed: parseQuantity64(o.gasUsed, `${what}.gasUsed`),
    timestampSec: parseQuantityNumber(o.timestamp, `${what}.timestamp`),
    extraData,
    baseFeeWei: parseQuantity(o.baseFeePerGas, `${what}.baseFeePerGas`),
    blockHash: parseHash(o.blockHash, `${what}.blockHash`),
    transactions: parseDataList(o.transactions, `${what}.transactions`),
    withdrawals: parseOptional(o.withdrawals, `${what}.withdrawals`, parseWithdrawals),
    blobGasUsed: parseOptional(o.blobGasUsed, `${what}.blobGasUsed`, parseQuantity64),
    excessBlobGas: parseOptional(o.excessBlobGas, `${what}.excessBlobGas`, parseQuantity64),
    withdrawalsRoot: parseOptional(o.withdrawalsRoot, `${what}.withdrawalsRoot`, parseHash),
  }
}

export function forkchoiceStateToJson(state: ForkchoiceState): JsonObject {
  return { headBlockHash: state.head, safeBlockHash: state.safe, finalizedBlockHash: state.finalized }
}

export function parseForkchoiceStateJson(value: unknown): ForkchoiceState {
  const o = parseJsonObject(value, 'forkchoice state')
  return {
    head: parseHash(o.headBlockHash, 'headBlockHash'),
    safe: parseHash(o.safeBlockHash, 'safeBlockHash'),
    finalized: parseHash(o.finalizedBlockHash, 'finalizedBlockHash'),
  }
}

export function payloadStatusToJson(status: PayloadStatus): JsonObject {
  return {
    status: status.status,
    latestValidHash: 'latestValidHash' in status ? status.latestValidHash : null,
    validationError: status.status === 'INVALID' ? status.reason : null,
  }
}

/** Reads INVALID_BLOCK_HASH of old versions as INVALID. Throws CodecError `codec/payload` for an unknown status. */
export function parsePayloadStatusJson(value: unknown): PayloadStatus {
  const o = parseJsonObject(value, 'payload status')
  const latestValidHash = parseOptional(o.latestValidHash, 'latestValidHash', parseHash)
  switch (o.status) {
    case 'VALID':
      if (latestValidHash === null) throw new CodecError('codec/payload', 'payload status VALID without latestValidHash')
      return { status: 'VALID', latestValidHash }
    case 'INVALID':
    case 'INVALID_BLOCK_HASH':
      return { status: 'INVALID', latestValidHash, reason: typeof o.validationError === 'string' ? o.validationError : 'no reason given' }
    case 'SYNCING':
    case 'ACCEPTED':
      return { status: o.status }
    default:
      throw new CodecError(
        'codec/payload',
        `payload status: expected VALID, INVALID, SYNCING or ACCEPTED, got ${String(o.status).slice(0, 40)}`,
      )
  }
}

export function forkchoiceResultToJson(result: ForkchoiceResult): JsonObject {
  return { payloadStatus: payloadStatusToJson(result.status), payloadId: result.payloadId }
}

export function parseForkchoiceResultJson(value: unknown): ForkchoiceResult {
  const o = parseJsonObject(value, 'forkchoice result')
  return {
    status: parsePayloadStatusJson(o.payloadStatus),
    payloadId: parseOptional(o.payloadId, 'payloadId', parsePayloadId),
  }
}

/** Throws CodecError `codec/hex`. */
export function parsePayloadId(value: unknown, what = 'payloadId'): PayloadId {
  if (!isHex(value, 8)) throw new CodecError('codec/hex', `${what}: expected 8 bytes of hex`)
  return value.toLowerCase() as Hex as PayloadId
}

/**
 * Version 1 is the bare payload; 2 adds its value, 3 the empty blobs bundle and OP's parentBeaconBlockRoot, 4 the empty requests.
 */
export function builtPayloadToJson(built: BuiltPayload, version: number): JsonObject {
  const executionPayload = executionPayloadToJson(built.payload)
  if (version === 1) return executionPayload
  return {
    executionPayload,
    blockValue: formatQuantity(built.blockValueWei),
    ...(version < 3 ? {} : { blobsBundle: { commitments: [], proofs: [], blobs: [] }, shouldOverrideBuilder: false }),
    ...(version < 3 ? {} : optional('parentBeaconBlockRoot', built.parentBeaconBlockRoot, (root) => root)),
    ...(version < 4 ? {} : { executionRequests: [] }),
  }
}

export function parseBuiltPayloadJson(value: unknown): BuiltPayload {
  const o = parseJsonObject(value, 'built payload')
  if (o.executionPayload === undefined) return { payload: parseExecutionPayloadJson(o), parentBeaconBlockRoot: null, blockValueWei: 0n }
  return {
    payload: parseExecutionPayloadJson(o.executionPayload),
    parentBeaconBlockRoot: parseOptional(o.parentBeaconBlockRoot, 'parentBeaconBlockRoot', parseHash),
    blockValueWei: parseQuantity(o.blockValue, 'blockValue'),
  }
}

function optional<T>(key: string, value: T | null, format: (value: T) => unknown): JsonObject {
  return value === null ? NO_FIELDS : { [key]: format(value) }
}

function parseDataList(value: unknown, what: string): Uint8Array[] {
  return parseJsonArray(value, what, (element, at) => parseData(element, at))
}

function parseWithdrawals(value: unknown, what: string) {
  return parseJsonArray(value, what, parseWithdrawalJson)
}

/** Writes JSON numbers, as deployed clients do, where the specification requires quantities; both are accepted. */
function numberOrQuantity(value: bigint): number | Hex {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : formatQuantity(value)
}

function parseNumberOrQuantity(value: unknown, what: string): bigint {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : parseQuantity64(value, what)
}
