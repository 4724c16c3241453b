import type { NodeAddress } from './enode.ts'

/** Nodes that the operator named, by public key. */
export interface NamedNodes {
  readonly fixed: ReadonlyMap<string, NodeAddress>
  isStatic(id: string): boolean
  isTrusted(id: string): boolean
  /** True for both; no limit and no ban applies. */
  isExempt(id: string): boolean
  /** Returns false when there are too many. */
  addStatic(node: NodeAddress): boolean
  removeStatic(id: string): boolean
  addTrusted(id: string): boolean
  removeTrusted(id: string): boolean
  exemptIds(): Iterable<string>
}

const MAX_NAMED = 1_000

export function createNamedNodes(staticNodes: readonly NodeAddress[], trusted: readonly NodeAddress[]): NamedNodes {
  const fixed = new Map(staticNodes.map((node) => [node.id as string, node]))
  const trustedIds = new Set<string>(trusted.map(({ id }) => id))
  return {
    fixed,
    isStatic: (id) => fixed.has(id),
    isTrusted: (id) => trustedIds.has(id),
    isExempt: (id) => fixed.has(id) || trustedIds.has(id),
    addStatic(node) {
      if (fixed.size >= MAX_NAMED && !fixed.has(node.id)) return false
      fixed.set(node.id, node)
      return true
    },
    removeStatic: (id) => fixed.delete(id),
    addTrusted(id) {
      if (trustedIds.size >= MAX_NAMED && !trustedIds.has(id)) return false
      trustedIds.add(id)
      return true
    },
    removeTrusted: (id) => trustedIds.delete(id),
    exemptIds: () => new Set([...fixed.keys(), ...trustedIds]),
  }
}
