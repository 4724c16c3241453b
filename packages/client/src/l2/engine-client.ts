/** specs protocol/exec-engine.md#engine-api */
import {
  type Clock,
  ENGINE_ERROR_NUMBERS,
  type EngineApi,
  EngineApiError,
  type EngineApiErrorCode,
  executionPayloadToJson,
  forkchoiceStateToJson,
  type Logger,
  type PayloadId,
  parseBuiltPayloadJson,
  parseForkchoiceResultJson,
  parsePayloadStatusJson,
  payloadAttributesToJson,
  type Random,
} from '@keelson/primitives'
import { createJwt, type HttpClient, type JwtSecret, type Metrics } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'
import { ClientError, RpcResponseError } from '../client-error.ts'
import { createHttpRpcClient } from '../rpc/http-rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export interface EngineVersions {
  readonly forkchoiceUpdated: 1 | 2 | 3
  readonly getPayload: 1 | 2 | 3 | 4 | 5
  readonly newPayload: 1 | 2 | 3 | 4
}

export interface EngineClientOptions {
  readonly url: string
  /** Null for a connection that needs no token. */
  readonly jwtSecret: JwtSecret | null
  readonly versionFor: (timestampSec: number) => EngineVersions
  readonly timeoutMs?: number
}

export interface EngineClientDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
  /** Default: the network of this machine. */
  readonly http?: HttpClient
}

export interface EngineClient extends EngineApi {
  exchangeCapabilities(): Promise<readonly string[]>
  close(): void
}

const METHODS = [
  'engine_forkchoiceUpdatedV1',
  'engine_forkchoiceUpdatedV2',
  'engine_forkchoiceUpdatedV3',
  'engine_getPayloadV1',
  'engine_getPayloadV2',
  'engine_getPayloadV3',
  'engine_getPayloadV4',
  'engine_getPayloadV5',
  'engine_newPayloadV1',
  'engine_newPayloadV2',
  'engine_newPayloadV3',
  'engine_newPayloadV4',
] as const
/** Executing a full block takes seconds; op-node uses the same timeout. */
const DEFAULT_TIMEOUT_MS = 30_000
const MAX_REMEMBERED_BUILDS = 64

export function createEngineClient(options: EngineClientOptions, dependencies: EngineClientDependencies): EngineClient {
  const { versionFor, jwtSecret } = options
  const rpc = createHttpRpcClient(
    {
      url: options.url,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      ...(jwtSecret === null
        ? {}
        : { headers: async () => ({ authorization: `Bearer ${await createJwt(jwtSecret, dependencies.clock)}` }) }),
    },
    dependencies,
  )
  const buildTimes = new LRUCache<PayloadId, number>({ max: MAX_REMEMBERED_BUILDS })

  const ask = async <T>(method: string, params: readonly unknown[], parse: (answer: unknown) => T): Promise<T> => {
    try {
      const answer = await rpc.call(method, params, { retry: false })
      return verified(rpc.host, () => parse(answer))
    } catch (error) {
      throw engineError(method, error)
    }
  }

  return {
    async forkchoiceUpdated(state, attributes) {
      const version = attributes === null ? 3 : versionFor(attributes.timestampSec).forkchoiceUpdated
      const params = [forkchoiceStateToJson(state), attributes === null ? null : payloadAttributesToJson(attributes)]
      const result = await ask(`engine_forkchoiceUpdatedV${version}`, params, parseForkchoiceResultJson)
      if (result.payloadId !== null && attributes !== null) buildTimes.set(result.payloadId, attributes.timestampSec)
      return result
    },
    getPayload(id) {
      const timestampSec = buildTimes.get(id)
      if (timestampSec === undefined) {
        return Promise.reject(
          new EngineApiError('engine/unknown-payload', `payload ${id} was not begun over this connection`, { payloadId: id }),
        )
      }
      return ask(`engine_getPayloadV${versionFor(timestampSec).getPayload}`, [id], parseBuiltPayloadJson)
    },
    newPayload(payload, parentBeaconBlockRoot) {
      const json = executionPayloadToJson(payload)
      const version = versionFor(payload.timestampSec).newPayload
      // Rollup blocks have neither blobs nor requests.
      const extra = version === 4 ? [[], parentBeaconBlockRoot, []] : version === 3 ? [[], parentBeaconBlockRoot] : []
      return ask(`engine_newPayloadV${version}`, [json, ...extra], parsePayloadStatusJson)
    },
    async exchangeCapabilities() {
      const answer = await rpc.call('engine_exchangeCapabilities', [METHODS])
      return Array.isArray(answer) ? answer.filter((method): method is string => typeof method === 'string') : []
    },
    close: () => rpc.close(),
  }
}

const CODE_OF_NUMBER: ReadonlyMap<number, EngineApiErrorCode> = new Map(
  Object.entries(ENGINE_ERROR_NUMBERS).map(([code, number]) => [number, code as EngineApiErrorCode]),
)

/** op-geth returns this error where the specification requires INVALID; retrying would never succeed. */
const UNREADABLE_TRANSACTION = /^transaction \d+ is not valid/

/** The error of `EngineApi` for one of the JSON-RPC client. */
export function engineError(method: string, error: unknown): unknown {
  if (error instanceof RpcResponseError) {
    const isUnreadable = method.startsWith('engine_forkchoiceUpdated') && UNREADABLE_TRANSACTION.test(error.text)
    const code = isUnreadable ? 'engine/invalid-attributes' : CODE_OF_NUMBER.get(error.number)
    if (code !== undefined) return new EngineApiError(code, `${method}: ${error.text}`, { method }, { cause: error })
    // The engine is busy, shutting down or out of disk.
    return new ClientError('client/rpc', 'temporary', error.message, error.details, { cause: error })
  }
  return error
}
