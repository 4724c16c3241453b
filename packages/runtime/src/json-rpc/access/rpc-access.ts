/** All ports of a node share one object, so that a client has one budget. */
import type { Clock } from '@keelson/primitives'
import { clientAddress } from '../../http/forwarded-for.ts'
import { type IpNetwork, isInNetworks, parseIpAddress, subscriberOf } from '../../http/ip-address.ts'
import type { TokenBucketOptions } from '../../token-bucket.ts'
import { type ApiKeys, NO_API_KEYS } from './api-keys.ts'
import { createClientBudgets } from './client-budgets.ts'
import { createNetworkBudgets } from './network-budgets.ts'
import type { BudgetsFactory } from './shared-budgets.ts'
import { ANONYMOUS_TIER, TRUSTED_TIER } from './tiers.ts'

export interface RpcAccessOptions {
  /** Networks without a rate limit; proxies are never trusted. */
  readonly trusted: readonly IpNetwork[]
  readonly proxies: readonly IpNetwork[]
  readonly maxClients?: number
}

export interface RpcAccessDependencies {
  readonly clock: Clock
  readonly keys?: () => ApiKeys
  /** Default: rate of tier `anonymous`. */
  readonly anonymous?: () => TokenBucketOptions
  /** Default: kept in memory. */
  readonly budgets?: BudgetsFactory
}

export interface RequestOrigin {
  readonly peer: string | undefined
  readonly forwardedFor: string | undefined
  readonly authorization: string | undefined
  readonly path: string
}

/** The caller as a method sees it, on any thread. */
export interface RpcPayer {
  readonly tier: string
  /** Name shared by a client's connections. */
  readonly client: string
  /** True with a key, or for a direct call from a trusted network. */
  readonly known: boolean
  readonly burst: number
  /** Charges on credit; a negative number refunds. */
  charge(tokens: number): void
  /** As `take` of RpcCaller. */
  reserve(calls: number): Promise<number>
}

export interface RpcCaller extends RpcPayer {
  /** Returns 0, or the wait in milliseconds. `take(0)` tests for debt. */
  take(calls: number): number
}

export type RpcEntry =
  | { readonly ok: true; readonly caller: RpcCaller }
  | { readonly ok: false; readonly status: 401 | 404 | 429; readonly message: string; readonly waitMs?: number }

export interface RpcAccess {
  identify(origin: RequestOrigin): RpcEntry
  connectionGroup(peer: string | undefined): string | null
}

export function unlimitedCaller(tier: string, client: string): RpcCaller {
  return { tier, client, known: true, burst: Number.POSITIVE_INFINITY, take: () => 0, reserve: async () => 0, charge: () => undefined }
}

/** The client whose share of a limit a caller uses; null when it is trusted, or the server has no access rules. */
export function limitedClient(caller: RpcCaller | undefined): string | null {
  return caller === undefined || caller.tier === TRUSTED_TIER ? null : caller.client
}

const DEFAULT_MAX_CLIENTS = 50_000
const KEY_PATH = /^\/v1\/([^/]+)\/?$/
const BEARER = /^Bearer +(\S+)$/i
const MAX_KEY_LENGTH = 256

export function createRpcAccess(options: RpcAccessOptions, dependencies: RpcAccessDependencies): RpcAccess {
  const { clock, keys = () => NO_API_KEYS } = dependencies
  const anonymous = dependencies.anonymous ?? (() => keys().tiers[ANONYMOUS_TIER] as TokenBucketOptions)
  const maxClients = options.maxClients ?? DEFAULT_MAX_CLIENTS
  const openBudgets = dependencies.budgets ?? (() => createClientBudgets(clock, maxClients))
  const budgets = openBudgets('caller', maxClients)
  const anonymousBudgets = createNetworkBudgets(budgets, (level) => openBudgets(level, maxClients))

  const callerAt = (tier: string, client: string, rate: TokenBucketOptions, known = false): RpcCaller => {
    const { take, charge } = known ? budgets : anonymousBudgets
    return {
      tier,
      client,
      known,
      burst: rate.burst,
      take: (calls) => take(client, rate, calls),
      reserve: async (calls) => take(client, rate, calls),
      charge: (tokens) => charge(client, rate, tokens),
    }
  }
  // A trusted program that names a caller, as the pages do, asks for that caller and not for itself.
  const forwarders = [...options.proxies, ...options.trusted]
  const callerByAddress = ({ peer, forwardedFor }: RequestOrigin): RpcCaller => {
    const direct = peer === undefined ? null : parseIpAddress(peer)
    if (direct === null) return callerAt(ANONYMOUS_TIER, 'unknown', anonymous())
    const address = clientAddress(direct, forwardedFor, forwarders)
    const client = subscriberOf(address)
    if (isInNetworks(address, options.trusted) && !isInNetworks(address, options.proxies)) {
      // A forwarded request is not the operator's own.
      return { ...unlimitedCaller(TRUSTED_TIER, client), known: forwardedFor === undefined }
    }
    return callerAt(ANONYMOUS_TIER, client, anonymous())
  }

  /** Costs a call, which limits guessing of keys. */
  const refuseKey = (origin: RequestOrigin, message: string): RpcEntry => {
    const waitMs = callerByAddress(origin).take(1)
    if (waitMs > 0) return { ok: false, status: 429, message: 'too many requests with an unknown key', waitMs }
    return { ok: false, status: 401, message }
  }

  return {
    identify(origin) {
      const inPath = KEY_PATH.exec(origin.path)?.[1]
      if (inPath === undefined && origin.path !== '/') {
        return { ok: false, status: 404, message: 'not found: JSON-RPC is served at /, and at /v1/KEY with an API key' }
      }
      const inHeader = origin.authorization === undefined ? undefined : BEARER.exec(origin.authorization.trim())?.[1]
      if (origin.authorization !== undefined && inHeader === undefined) {
        return refuseKey(origin, 'unsupported Authorization header: send "Authorization: Bearer KEY", or omit the header')
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
