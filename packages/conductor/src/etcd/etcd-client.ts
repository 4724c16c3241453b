/** The calls of etcd's API version 3 that a conductor needs, over its JSON gateway: etcd.io/docs/v3.4/dev-guide/api_grpc_gateway. */
import { messageOf } from '@keelson/primitives'
import type { HttpClient, HttpResponse, Secret } from '@keelson/runtime'
import { EtcdRefusal, EtcdUnavailable } from './etcd-error.ts'

export interface EtcdClientOptions {
  /** Base URLs of members. */
  readonly endpoints: readonly string[]
  readonly credentials: { readonly user: string; readonly password: Secret } | null
  /** Limit for one attempt at one member. */
  readonly timeoutMs: number
}

export type EtcdCall =
  | 'kv/txn'
  | 'kv/range'
  | 'kv/compaction'
  | 'lease/grant'
  | 'lease/keepalive'
  | 'lease/revoke'
  | 'lease/timetolive'
  | 'maintenance/status'
  | 'maintenance/alarm'
  | 'cluster/member/list'

export type JsonObject = Readonly<Record<string, unknown>>

export interface EtcdClient {
  /**
   * Asks one member after another until one answers. `faultOf` returns why an answer counts as none, or null. Throws EtcdRefusal,
   * EtcdUnavailable.
   */
  call(call: EtcdCall, body: JsonObject, faultOf?: (answer: JsonObject) => string | null): Promise<JsonObject>
  /** Asks one member. */
  callAt(endpoint: string, call: EtcdCall, body: JsonObject): Promise<JsonObject>
  readonly endpoints: readonly string[]
}

/** A transaction's answer holds at most 1,024 small records, or a part of a block, which may have 1.5 MiB, in base64. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** Cancelled, deadline exceeded, unavailable. */
const UNANSWERED: ReadonlySet<number> = new Set([1, 4, 14])
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16
/** A token is older than the last change of users or roles. */
const OLD_TOKEN = /revision of auth store is old|auth: revision in header is old/

export function createEtcdClient({ endpoints, credentials, timeoutMs }: EtcdClientOptions, http: HttpClient): EtcdClient {
  let preferred = 0
  let token: string | null = null

  async function post(endpoint: string, path: string, body: JsonObject, headers: Readonly<Record<string, string>>): Promise<JsonObject> {
    const url = `${endpoint}/v3/${path}`
    const request = { url, method: 'POST' as const, body: JSON.stringify(body), timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES }
    const response = await http.send({ ...request, headers: { 'content-type': 'application/json', ...headers } })
    return readAnswer(response)
  }

  async function authorization(endpoint: string): Promise<Readonly<Record<string, string>>> {
    if (credentials === null) return {}
    if (token === null) {
      const answer = await post(endpoint, 'auth/authenticate', { name: credentials.user, password: credentials.password.reveal() }, {})
      if (typeof answer.token !== 'string') throw new EtcdRefusal(UNAUTHENTICATED, 'etcd gave no token for the user and password')
      token = answer.token
    }
    return { authorization: token }
  }

  async function callAt(endpoint: string, call: EtcdCall, body: JsonObject): Promise<JsonObject> {
    const known = token
    try {
      return await post(endpoint, call, body, await authorization(endpoint))
    } catch (error) {
      const expired = error instanceof EtcdRefusal && (error.status === UNAUTHENTICATED || OLD_TOKEN.test(error.message))
      if (!expired || known === null) throw error
      if (token === known) token = null
      return post(endpoint, call, body, await authorization(endpoint))
    }
  }

  /** Another call may have moved on meanwhile. */
  function moveOn(from: number): void {
    if (preferred === from) preferred = (from + 1) % endpoints.length
  }

  return {
    endpoints,
    callAt,
    async call(call, body, faultOf = () => null) {
      const reasons: string[] = []
      for (let i = 0; i < endpoints.length; i++) {
        const at = preferred
        const endpoint = endpoints[at] as string
        let fault: string | null
        try {
          const answer = await callAt(endpoint, call, body)
          fault = faultOf(answer)
          if (fault === null) return answer
        } catch (error) {
          if (error instanceof EtcdRefusal && !UNANSWERED.has(error.status)) {
            // The refusal may come from a member of another cluster.
            moveOn(at)
            throw error
          }
          fault = messageOf(error)
        }
        moveOn(at)
        reasons.push(`${new URL(endpoint).host}: ${fault}`)
      }
      throw new EtcdUnavailable(`no member of etcd answers ${call}: ${reasons.join('; ')}`)
    },
  }
}

/** A stream's first message is in `result`, its error in `error`. */
function readAnswer({ status, body }: HttpResponse): JsonObject {
  let answer: unknown
  try {
    answer = JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new EtcdRefusal(UNAVAILABLE, `HTTP status ${status} without JSON: not the API of etcd 3.4 or later`)
  }
  if (!isObject(answer)) throw new EtcdRefusal(UNAVAILABLE, `HTTP status ${status} with JSON that is no object`)
  const fault = isObject(answer.error) ? answer.error : answer
  const code = fault.code ?? fault.grpc_code
  if (status !== 200 || answer.error !== undefined) {
    const message = [fault.message, fault.error].find((text) => typeof text === 'string') ?? `HTTP status ${status}`
    throw new EtcdRefusal(typeof code === 'number' ? code : UNAVAILABLE, String(message).slice(0, 200))
  }
  return isObject(answer.result) ? answer.result : answer
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
