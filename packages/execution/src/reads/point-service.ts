/** Point reads on snapshots of a store that another thread writes. */
import type { RpcMethods } from '@keelson/runtime'
import { type PointDependencies, pointMethods } from '../rpc/point-methods.ts'
import type { PendingBlock } from '../subblocks/pending-block.ts'
import { pendingMethods } from '../subblocks/pending-methods.ts'
import { createReadViews, type ReadView, type ReadViewOptions, type SnapshotSource } from './read-views.ts'

export interface PointServiceDependencies extends Omit<PointDependencies, keyof ReadView | 'options'> {
  readonly source: SnapshotSource
  /** A snapshot contains at least the batches counted when the read begins. */
  revision(): number
  /** The block that is being built; null while none is known. */
  readonly pending: () => PendingBlock | null
}

export function createPointService(
  options: ReadViewOptions & { readonly rpc: PointDependencies['options'] },
  { source, revision, pending, ...shared }: PointServiceDependencies,
): RpcMethods {
  const views = createReadViews(source, options, shared.clock)
  const byView = new WeakMap<ReadView, RpcMethods>()
  const methodsAt = (view: ReadView): RpcMethods => {
    const known = byView.get(view)
    if (known !== undefined) return known
    const deps = { ...shared, options: options.rpc, chain: view.chain, state: view.state }
    const methods = pendingMethods(deps, pending, pointMethods)
    byView.set(view, methods)
    return methods
  }
  // The names do not depend on the view.
  const names = Object.keys(pointMethods({ ...shared, options: options.rpc } as PointDependencies))
  return Object.fromEntries(
    names.map(
      (name) => [name, (params, context) => views.use(revision(), async (view) => methodsAt(view)[name]?.(params, context))] as const,
    ),
  ) as RpcMethods
}
