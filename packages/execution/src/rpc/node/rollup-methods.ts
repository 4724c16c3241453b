import type { RpcHandler, RpcMethods } from '@keelson/runtime'
import type { RpcDependencies } from '../rpc-dependencies.ts'

const ROLLUP_METHODS = ['syncStatus', 'rollupConfig', 'outputAtBlock', 'version', 'safeHeadAtL1Block'] as const

/** Served as rollup_* and optimism_*, forwarded as optimism_*. */
export function rollupMethods({ forwardRollup }: RpcDependencies): RpcMethods {
  if (forwardRollup === undefined) return {}
  const forward =
    (name: string): RpcHandler =>
    (params, context) =>
      forwardRollup(`optimism_${name}`, params, context.signal)
  return Object.fromEntries(ROLLUP_METHODS.flatMap((name) => ['rollup', 'optimism'].map((prefix) => [`${prefix}_${name}`, forward(name)])))
}
