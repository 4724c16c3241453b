import type { Crypto, PairingCurves, SyncKzgVerifier } from '@keelson/primitives'
import type { EvmEngine } from '../ports.ts'
import { createEvmPools } from './evm-pool.ts'
import { ReferenceSession } from './reference-session.ts'

export interface ReferenceEngineOptions {
  readonly crypto: Crypto
  readonly kzg?: SyncKzgVerifier
  /** If omitted, slow JavaScript is used. */
  readonly curves?: PairingCurves
}

const ANY_CHAIN = 0n

export function createReferenceEngine({ crypto, kzg, curves }: ReferenceEngineOptions): EvmEngine {
  const pools = createEvmPools(crypto, kzg ?? null, curves ?? null)
  return {
    name: 'reference',
    open: (view, env, rules, options = {}) => new ReferenceSession(view, env, rules, pools.poolFor(rules, env.chainId), options),
    precompiles: (rules) => pools.poolFor(rules, ANY_CHAIN).precompiles,
  }
}
