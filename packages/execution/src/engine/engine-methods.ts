/** Checks the fields and forks that each method version allows. execution-apis src/engine; specs protocol/exec-engine.md */
import { type BlockRules, ethParameters } from '@keelson/chainspec'
import {
  builtPayloadToJson,
  bytesToHex,
  type Crypto,
  concatBytes,
  decodeTransaction,
  ENGINE_ERROR_NUMBERS,
  EngineApiError,
  type ExecutionPayload,
  forkchoiceResultToJson,
  formatData,
  type Hash,
  type PayloadAttributes,
  parseData,
  parseExecutionPayloadJson,
  parseForkchoiceStateJson,
  parseHash,
  parseJsonArray,
  parsePayloadAttributesJson,
  parsePayloadId,
  parseQuantityNumber,
  payloadStatusToJson,
  TX_BLOB,
  toHash,
  withdrawalToJson,
} from '@keelson/primitives'
import { invalidParams, RpcError, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import { attributesVersion, versionOfPayloadId } from '../builder/payload-id.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain-rules.ts'
import { type Engine, refusePastLimit } from './engine.ts'

export interface EngineMethodsDependencies {
  readonly engine: Engine
  readonly chain: ChainReader
  readonly rules: ChainRules
  readonly crypto: Crypto
  readonly version: string
  readonly commit: string
}

const MAX_BODIES = 1_024

export function createEngineMethods(deps: EngineMethodsDependencies): RpcMethods {
  const { engine, chain, rules } = deps

  const forkchoiceUpdated =
    (version: 1 | 2 | 3): RpcHandler =>
    async ([state, attributes]) => {
      const forkchoice = parseForkchoiceStateJson(state)
      const parsed = attributes === undefined || attributes === null ? null : parseAttributes(attributes)
      // The engine refuses attributes of an unsupported fork after it has moved the head.
      if (parsed !== null && !rules.limit?.refuses(parsed.timestampSec))
        checkAttributesVersion(version, parsed, rules.rulesAt({ number: 0, timestampSec: parsed.timestampSec }))
      return forkchoiceResultToJson(await engine.forkchoiceUpdated(forkchoice, parsed))
    }

  const newPayload =
    (version: 1 | 2 | 3 | 4): RpcHandler =>
    async ([json, versionedHashes, beaconRoot, requests]) => {
      const payload = parseExecutionPayloadJson(json)
      refusePastLimit(rules, payload.timestampSec)
      const blockRules = rules.rulesAt({ number: payload.blockNumber, timestampSec: payload.timestampSec })
      checkPayloadVersion(version, payload, blockRules)
      if (version < 3) return payloadStatusToJson(await engine.newPayload(payload, null))
      const root = parseHash(beaconRoot, 'parentBeaconBlockRoot')
      const stated = parseJsonArray(versionedHashes, 'expectedBlobVersionedHashes', parseHash)
      const blobs = blobHashesOf(payload)
      if (stated.length !== blobs.length || stated.some((hash, i) => hash !== blobs[i])) {
        return payloadStatusToJson({
          status: 'INVALID',
          latestValidHash: null,
          reason: `the payload carries ${blobs.length} blob hashes, expectedBlobVersionedHashes names ${stated.length}, or others`,
        })
      }
      if (version < 4) return payloadStatusToJson(await engine.newPayload(payload, root))
      const list = parseJsonArray(requests, 'executionRequests', (request, what) => parseData(request, what))
      if (blockRules.requests !== 'list') {
        if (list.length > 0) throw invalidParams(`executionRequests: expected an empty list, got ${list.length}`)
        return payloadStatusToJson(await engine.newPayload(payload, root))
      }
      return payloadStatusToJson(await engine.newPayloadWithRequests(payload, root, requestsHash(list, deps.crypto)))
    }

  const getPayload =
    (version: 1 | 2 | 3 | 4 | 5): RpcHandler =>
    async ([id]) => {
      const payloadId = parsePayloadId(id)
      const built = versionOfPayloadId(payloadId)
      if (built <= 3 && (version < 3 ? built > version : built !== 3)) {
        throw unsupportedFork(`payload ${payloadId} was built from attributes V${built}; getPayloadV${version} does not serve it`)
      }
      const payload = await engine.getPayload(payloadId)
      const { blockNumber, timestampSec } = payload.payload
      const needed = getPayloadVersion(rules.rulesAt({ number: blockNumber, timestampSec }))
      if (version >= 3 && version !== needed) throw unsupportedFork(`block ${blockNumber} needs getPayloadV${needed}, not V${version}`)
      return builtPayloadToJson(payload, version)
    }

  const body = (hash: Hash | null) => {
    const block = hash === null ? null : chain.block(hash)
    if (block === null) return null
    return {
      transactions: block.transactions.map((tx) => formatData(tx.raw)),
      withdrawals: block.withdrawals?.map(withdrawalToJson) ?? null,
    }
  }

  const methods: Record<string, RpcHandler> = {
    engine_forkchoiceUpdatedV1: forkchoiceUpdated(1),
    engine_forkchoiceUpdatedV2: forkchoiceUpdated(2),
    engine_forkchoiceUpdatedV3: forkchoiceUpdated(3),
    engine_newPayloadV1: newPayload(1),
    engine_newPayloadV2: newPayload(2),
    engine_newPayloadV3: newPayload(3),
    engine_newPayloadV4: newPayload(4),
    engine_getPayloadV1: getPayload(1),
    engine_getPayloadV2: getPayload(2),
    engine_getPayloadV3: getPayload(3),
    engine_getPayloadV4: getPayload(4),
    engine_getPayloadV5: getPayload(5),
    engine_getPayloadBodiesByHashV1: ([hashes]) => {
      const list = parseJsonArray(hashes, 'hashes', parseHash)
      if (list.length > MAX_BODIES) throw tooLarge(list.length)
      return list.map(body)
    },
    engine_getPayloadBodiesByRangeV1: ([start, count]) => {
      const from = parseQuantityNumber(start, 'start')
      const wanted = parseQuantityNumber(count, 'count')
      if (from < 1 || wanted < 1) throw invalidParams(`invalid start or count, start: ${from} count: ${wanted}`)
      if (wanted > MAX_BODIES) throw tooLarge(wanted)
      const last = Math.min(from + wanted - 1, chain.label('unsafe').header.number)
      return Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => body(chain.canonicalHash(from + i)))
    },
    engine_getClientVersionV1: () => [{ code: 'KL', name: 'Keelson', version: deps.version, commit: `0x${deps.commit}` }],
  }
  const names = Object.keys(methods)
  methods.engine_exchangeCapabilities = () => names
  return Object.fromEntries(Object.entries(methods).map(([name, handler]) => [name, withEngineErrors(handler)]))
}

function parseAttributes(json: unknown): PayloadAttributes {
  if (typeof json === 'object' && json !== null && ((json as Record<string, unknown>).gasLimit ?? null) === null) {
    throw new EngineApiError('engine/invalid-attributes', 'Invalid payload attributes: gasLimit parameter is required')
  }
  return parsePayloadAttributesJson(json)
}

function checkAttributesVersion(version: 1 | 2 | 3, attributes: PayloadAttributes, rules: BlockRules): void {
  const has = attributesVersion(attributes)
  if (version === 1) {
    if (has > 1 || attributes.parentBeaconBlockRoot !== null) throw invalidParams('withdrawals and beacon root not supported in V1')
    if (rules.withdrawals !== 'absent') throw invalidParams('forkchoiceUpdatedV1 called for a block that has withdrawals')
  }
  if (version === 2) {
    if (attributes.parentBeaconBlockRoot !== null) throw invalidAttributes('unexpected beacon root')
    if (rules.parentBeaconRoot) throw unsupportedFork('forkchoiceUpdatedV2 is for blocks without a beacon root; use V3')
  }
  if (version === 3) {
    if (attributes.withdrawals === null) throw invalidAttributes('missing withdrawals')
    if (attributes.parentBeaconBlockRoot === null) throw invalidAttributes('missing beacon root')
    if (!rules.parentBeaconRoot) throw unsupportedFork('forkchoiceUpdatedV3 is for blocks with a beacon root; use V2')
  }
}

function checkPayloadVersion(version: 1 | 2 | 3 | 4, payload: ExecutionPayload, rules: BlockRules): void {
  const needed = rules.requests !== 'absent' ? 4 : rules.blobFields ? 3 : rules.withdrawals !== 'absent' ? 2 : 1
  if (version < 3 ? needed > version : needed !== version) {
    throw unsupportedFork(`block ${payload.blockNumber} at ${payload.timestampSec} needs newPayloadV${needed}, not V${version}`)
  }
  if ((payload.withdrawals === null) !== (rules.withdrawals === 'absent')) {
    throw invalidParams(payload.withdrawals === null ? 'nil withdrawals' : 'non-nil withdrawals')
  }
  const blobFields = payload.blobGasUsed !== null && payload.excessBlobGas !== null
  if (rules.blobFields && !blobFields) throw invalidParams('nil blobGasUsed or excessBlobGas')
  if (!rules.blobFields && (payload.blobGasUsed !== null || payload.excessBlobGas !== null)) {
    throw invalidParams('non-nil blobGasUsed or excessBlobGas')
  }
  if ((payload.withdrawalsRoot !== null) !== (rules.withdrawals === 'storage-root')) {
    throw invalidParams(payload.withdrawalsRoot === null ? 'nil withdrawalsRoot' : 'non-nil withdrawalsRoot')
  }
}

/** Versions 1 and 2 are not distinguished here: they depend on the attributes. execution-apis: osaka.md#engine_getpayloadv5 */
function getPayloadVersion({ requests, ethFork }: BlockRules): 3 | 4 | 5 {
  if (requests === 'absent') return 3
  return ethParameters(ethFork).cellProofs ? 5 : 4
}

function blobHashesOf(payload: ExecutionPayload): string[] {
  return payload.transactions.filter((raw) => raw[0] === TX_BLOB).flatMap(blobHashes)
}

function blobHashes(raw: Uint8Array): string[] {
  const tx = decodeTransaction(raw)
  return 'blobVersionedHashes' in tx ? tx.blobVersionedHashes.map((hash) => bytesToHex(hash)) : []
}

/** EIP-7685 */
function requestsHash(requests: readonly Uint8Array[], crypto: Crypto): Hash {
  return toHash(crypto.sha256(concatBytes(...requests.filter((request) => request.length > 1).map((request) => crypto.sha256(request)))))
}

function withEngineErrors(handler: RpcHandler): RpcHandler {
  return async (params, context) => {
    try {
      return await handler(params, context)
    } catch (error) {
      if (!(error instanceof EngineApiError)) throw error
      throw new RpcError(ENGINE_ERROR_NUMBERS[error.code], error.message, { err: error.message }, { cause: error })
    }
  }
}

function unsupportedFork(message: string): EngineApiError {
  return new EngineApiError('engine/unsupported-fork', `Unsupported fork: ${message}`)
}

function invalidAttributes(message: string): EngineApiError {
  return new EngineApiError('engine/invalid-attributes', `Invalid payload attributes: ${message}`)
}

function tooLarge(count: number): EngineApiError {
  return new EngineApiError('engine/too-large-request', `Too large request: requested ${count} bodies, at most ${MAX_BODIES}`)
}
