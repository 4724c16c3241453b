/** Reads snapshots of a store that another thread writes. */
import type { EvmEngine } from '@keelson/evm'
import type { Clock, Crypto } from '@keelson/primitives'
import type { RpcContext } from '@keelson/runtime'
import type { ChainRules } from '../chain-rules.ts'
import type { RpcOptions } from '../options.ts'
import type { ReadMethod } from '../rpc/limits/read-lanes.ts'
import { readMethodsWithPending } from '../rpc/read-methods.ts'
import type { PendingBlock } from '../subblocks/pending-block.ts'
import { createReadViews, type ReadViewOptions, type ReadViews, type SnapshotSource } from './read-views.ts'

export interface ReadServiceDependencies {
  readonly source: SnapshotSource
  readonly rules: ChainRules
  readonly chainId: bigint
  readonly evm: EvmEngine
  readonly crypto: Crypto
  readonly clock: Clock
  /** The block that is being built; null while none is known. */
  readonly pending: () => PendingBlock | null
}

export interface ReadRunOptions {
  begin?(): void
  readonly clock?: Clock
}

export interface ReadService {
  /** The snapshot contains at least the first `revision` batches. */
  run(method: ReadMethod, params: readonly unknown[], revision: number, context: RpcContext, options?: ReadRunOptions): Promise<unknown>
  readonly views: Pick<ReadViews, 'open' | 'layerBytes'>
}

export function createReadService(options: ReadViewOptions & { readonly rpc: RpcOptions }, deps: ReadServiceDependencies): ReadService {
  const { source, pending, ...shared } = deps
  const views = createReadViews(source, options, deps.clock)
  return {
    views,
    run: (method, params, revision, context, { begin, clock = deps.clock } = {}) =>
      views.use(revision, async ({ chain, state }) => {
        context.signal.throwIfAborted()
        begin?.()
        const methods = readMethodsWithPending({ ...shared, clock, chain, state, options: options.rpc }, pending)
        return methods[method](params, context)
      }),
  }
}
