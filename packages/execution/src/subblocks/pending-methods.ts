import type { RpcMethods } from '@keelson/runtime'
import type { PendingBlock } from './pending-block.ts'
import { type ChainAndState, readsPending, withPending } from './with-pending.ts'

/** The methods that `build` returns, which answer from the block that is being built where they are asked for it. */
export function pendingMethods<T extends ChainAndState>(
  deps: T,
  pending: () => PendingBlock | null,
  build: (deps: Omit<T, 'state'> & ChainAndState) => RpcMethods,
): RpcMethods {
  const ofHead = build(deps)
  return Object.fromEntries(
    Object.entries(ofHead).map(([name, handler]) => [
      name,
      (params, context) => {
        const newest = readsPending(name, params) ? pending() : null
        if (newest === null) return handler(params, context)
        return build(withPending(deps, newest))[name]?.(params, context)
      },
    ]),
  ) as RpcMethods
}
