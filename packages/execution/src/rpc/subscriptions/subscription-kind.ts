import type { RpcOptions } from '../../options.ts'
import { rpcError } from '../errors.ts'
import { type LogCriteria, parseLogQuery } from '../eth/log-query.ts'
import { argument, optionalArgument, parseBoolean, parseText, required } from '../params.ts'

export type SubscriptionKind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'pending'; readonly full: boolean }
  | { readonly kind: 'syncing' }

const ANY_LOG: LogCriteria = { addresses: [], topics: [] }

export function parseSubscriptionKind(params: readonly unknown[], options: RpcOptions): SubscriptionKind {
  switch (required(params[0], 0)) {
    case 'newHeads':
      return { kind: 'newHeads' }
    case 'logs':
      return { kind: 'logs', criteria: optionalArgument(params, 1, ANY_LOG, (value) => parseLogQuery(value, options).criteria) }
    case 'newPendingTransactions':
      return { kind: 'pending', full: optionalArgument(params, 1, false, parseBoolean) }
    case 'syncing':
      return { kind: 'syncing' }
    default:
      throw rpcError('noSuchSubscription', ` "${argument(params, 0, parseText).slice(0, 64)}" subscription in eth namespace`)
  }
}
