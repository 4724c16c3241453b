/** Who may call the RPC, and how often. */
import {
  ANONYMOUS_TIER,
  createRpcAccess,
  createSharedBudgets,
  DEFAULT_TIERS,
  maskUrl,
  NO_API_KEYS,
  type OptionValues,
  openApiKeys,
  option,
  optionalOption,
  optionParsers as parse,
  type RpcAccess,
  type Service,
  type TokenBucketOptions,
} from '@keelson/runtime'
import { createRedisBuckets } from '../rpc-limits/redis-buckets.ts'
import type { Role } from './role.ts'

export const accessOptions = {
  rpcRate: optionalOption({
    key: 'rpc.rate',
    parse: parse.decimal(0.001, 1_000_000),
    description: `Calls a second of an address without a key. Default: the keys file's tier anonymous, else ${DEFAULT_TIERS.anonymous?.perSec}.`,
  }),
  rpcBurst: optionalOption({
    key: 'rpc.burst',
    parse: parse.integer(1, 1_000_000),
    description: `Calls it may make at once. Default: the keys file's tier anonymous, else ${DEFAULT_TIERS.anonymous?.burst}.`,
  }),
  rpcKeysFile: optionalOption({
    key: 'rpc.keysFile',
    parse: parse.path,
    description: 'JSON file of tiers and hashed keys (made with keelson rpc-key), read again when it changes. Default: no keys.',
  }),
  rpcTrusted: option({
    key: 'rpc.trusted',
    parse: parse.list(parse.network),
    default: [],
    description:
      'Networks whose callers are not limited; 127.0.0.0/8,::1 for this machine. A request with X-Forwarded-For, as the pages send it, ' +
      'counts for the caller that it names. Default: none.',
  }),
  rpcProxies: option({
    key: 'rpc.proxies',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks of reverse proxies: X-Forwarded-For counts from there only, and they are never trusted. Default: none.',
  }),
} as const

/** 'memory', or the URL of a Redis server. */
const limitStore = Object.assign(
  (value: unknown): string => {
    const given = parse.text(value)
    if (given === 'memory' || (URL.canParse(given) && ['redis:', 'rediss:'].includes(new URL(given).protocol))) return given
    // The message omits the value, which may contain a password.
    throw new parse.OptionValueError('expected memory, or a URL beginning with redis:// or rediss://')
  },
  { placeholder: '<memory|url>', schema: parse.text.schema, show: (value: string) => (value === 'memory' ? value : maskUrl(value)) },
)

export const sharedLimitOptions = {
  rpcLimits: option({
    key: 'rpc.limits',
    parse: limitStore,
    default: 'memory',
    secret: true,
    description:
      'Where rate limits are counted: memory, for this node alone, or redis://HOST:PORT, for all nodes with the same server, which ' +
      'exchange their counts ten times a second and count alone while it does not answer.',
  }),
} as const

export interface FrontDoor {
  readonly access: RpcAccess
  readonly services: readonly Service[]
}

export type AccessValues = OptionValues<typeof accessOptions> & Partial<OptionValues<typeof sharedLimitOptions>>

/** Throws RuntimeError `runtime/api-keys`. */
export async function openFrontDoor(
  values: AccessValues,
  { clock, log, metrics }: Pick<Role, 'clock' | 'log' | 'metrics'>,
): Promise<FrontDoor> {
  const watched = values.rpcKeysFile === null ? null : await openApiKeys(values.rpcKeysFile, { clock, log: log.child('keys') })
  const keys = () => watched?.current ?? NO_API_KEYS
  const { rpcRate, rpcBurst } = values
  const anonymous = (): TokenBucketOptions => {
    const tier = keys().tiers[ANONYMOUS_TIER] as TokenBucketOptions
    return { perSec: rpcRate ?? tier.perSec, burst: rpcBurst ?? tier.burst }
  }
  const { rpcLimits = 'memory' } = values
  const shared = rpcLimits === 'memory' ? null : createSharedBudgets({ buckets: createRedisBuckets(rpcLimits, log), clock, log, metrics })
  const budgets = shared === null ? {} : { budgets: shared.open }
  return {
    access: createRpcAccess({ trusted: values.rpcTrusted, proxies: values.rpcProxies }, { clock, keys, anonymous, ...budgets }),
    services: [...(watched === null ? [] : [watched]), ...(shared === null ? [] : [shared])],
  }
}
