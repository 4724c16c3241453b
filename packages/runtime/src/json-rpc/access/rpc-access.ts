/**
 * Who calls and how much they may: trusted networks without limit, others by the tier of their key, or
 * anonymously by their address. One object serves all ports of a node, so that a client has one budget.
 */
import type { Clock } from '@keelson/primitives'
import { clientAddress } from '../../http/forwarded-for.ts'
import { type IpNetwork, isInNetworks, parseIpAddress, subscriberOf } from '../../http/ip-address.ts'
import type { TokenBucketOptions } from '../../token-bucket.ts'
import { type ApiKeys, NO_API_KEYS } from './api-keys.ts'
import { createClientBudgets } from './client-budgets.ts'
import { createNetworkBudgets } from './network-budgets.ts'
import { ANONYMOUS_TIER, TRUSTED_TIER } from './tiers.ts'

export interface RpcAccessOptions {
  /** Callers from here are not limited. A proxy is never one of them: it speaks for strangers. */
  readonly trusted: readonly IpNetwork[]
  /** X-Forwarded-For counts from here only. */
  readonly proxies: readonly IpNetwork[]
  readonly maxClients?: number
}

export interface RpcAccessDependencies {
  readonly clock: Clock
  /** The keys in force, asked at each call. */
  readonly keys?: () => ApiKeys
  /** The rate of callers without a key; default: of the tier `anonymous`. */
  readonly anonymous?: () => TokenBucketOptions
}

/** What access needs to know of a request. */
export interface RequestOrigin {
  readonly peer: string | undefined
  readonly forwardedFor: string | undefined
  readonly authorization: string | undefined
  /** Path of the URL, without the query. */
  readonly path: string
}

export interface RpcCaller {
  /** For metrics; one of few. */
  readonly tier: string
  /** All connections of one client together. */
  readonly client: string
  /** Has a key, or comes from a trusted network by itself and not through a proxy: no stranger. */
  readonly known: boolean
  /** Most calls at once; Infinity when not limited. */
  readonly burst: number
  /** Takes tokens for `calls`. Returns 0, or the milliseconds to wait when there are too few. `take(0)` tests for debt. */
  take(calls: number): number
  /**
   * Charges tokens for finished work, on credit: the caller's next calls wait until the rate has repaid the debt.
   * A negative number gives tokens back that were taken and not needed.
   */
  charge(tokens: number): void
}

export type RpcEntry =
  | { readonly ok: true; readonly caller: RpcCaller }
  | { readonly ok: false; readonly status: 401 | 404 | 429; readonly message: string; readonly waitMs?: number }

export interface RpcAccess {
  identify(origin: RequestOrigin): RpcEntry
  /** By what the connections of a peer are counted; null for those that are not: trusted networks and proxies. */
  connectionGroup(peer: string | undefined): string | null
}

/** Returns a caller without a rate limit. */
export function unlimitedCaller(tier: string, client: string): RpcCaller {
  return { tier, client, known: true, burst: Number.POSITIVE_INFINITY, take: () => 0, charge: () => undefined }
}

const DEFAULT_MAX_CLIENTS = 50_000
const KEY_PATH = /^\/v1\/([^/]+)\/?$/
const BEARER = /^Bearer +(\S+)$/i
const MAX_KEY_LENGTH = 256

export function createRpcAccess(options: RpcAccessOptions, dependencies: RpcAccessDependencies): RpcAccess {
  const { clock, keys = () => NO_API_KEYS } = dependencies
  const anonymous = dependencies.anonymous ?? (() => keys().tiers[ANONYMOUS_TIER] as TokenBucketOptions)
  const maxClients = options.maxClients ?? DEFAULT_MAX_CLIENTS
  const budgets = createClientBudgets(clock, maxClients)
  const anonymousBudgets = createNetworkBudgets(budgets, clock, maxClients)

  const callerAt = (tier: string, client: string, rate: TokenBucketOptions, known = false): RpcCaller => {
    const { take, charge } = known ? budgets : anonymousBudgets
    return {
      tier,
      client,
      known,
      burst: rate.burst,
      take: (calls) => take(client, rate, calls),
      charge: (tokens) => charge(client, rate, tokens),
    }
  }
  const callerByAddress = ({ peer, forwardedFor }: RequestOrigin): RpcCaller => {
    const direct = peer === undefined ? null : parseIpAddress(peer)
    // a socket that closed already: one budget for all of them
    if (direct === null) return callerAt(ANONYMOUS_TIER, 'unknown', anonymous())
    const address = clientAddress(direct, forwardedFor, options.proxies)
    const client = subscriberOf(address)
    if (isInNetworks(address, options.trusted) && !isInNetworks(address, options.proxies)) {
      // a proxy that is not named as one forwards for strangers from a trusted address
      return { ...unlimitedCaller(TRUSTED_TIER, client), known: forwardedFor === undefined }
    }
    return callerAt(ANONYMOUS_TIER, client, anonymous())
  }

  /** A guess costs a call, so that keys cannot be tried out faster than calls be made. */
  const refuseKey = (origin: RequestOrigin, message: string): RpcEntry => {
    const waitMs = callerByAddress(origin).take(1)
    if (waitMs > 0) return { ok: false, status: 429, message: 'too many requests with an unknown key', waitMs }
    return { ok: false, status: 401, message }
  }

  return {
    identify(origin) {
      const inPath = KEY_PATH.exec(origin.path)?.[1]
      if (inPath === undefined && origin.path !== '/') {
        return { ok: false, status: 404, message: 'nothing is served at this path: JSON-RPC is at /, and at /v1/KEY for holders of a key' }
      }
      const inHeader = origin.authorization === undefined ? undefined : BEARER.exec(origin.authorization.trim())?.[1]
      if (origin.authorization !== undefined && inHeader === undefined) {
        return refuseKey(origin, 'the Authorization header is not understood: send "Authorization: Bearer KEY", or no such header')
      }
      if (inPath !== undefined && inHeader !== undefined && inPath !== inHeader) {
        return refuseKey(origin, 'the path and the Authorization header hold different API keys: send one of them')
      }
      const given = inPath ?? inHeader
      if (given === undefined) return { ok: true, caller: callerByAddress(origin) }
      const key = given.length > MAX_KEY_LENGTH ? null : keys().find(given)
      if (key === null) {
        return refuseKey(origin, 'unknown API key: check it, or call without a key at the anonymous rate')
      }
      const byAddress = callerByAddress(origin)
      if (byAddress.tier === TRUSTED_TIER) return { ok: true, caller: { ...byAddress, known: true } }
      return { ok: true, caller: callerAt(key.tier, `key:${key.name}`, key.rate, true) }
    },
    connectionGroup(peer) {
      const address = peer === undefined ? null : parseIpAddress(peer)
      if (address === null) return null
      return isInNetworks(address, options.trusted) || isInNetworks(address, options.proxies) ? null : subscriberOf(address)
    },
  }
}
