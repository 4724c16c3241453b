/** The engine whose answers count: @ethereumjs/evm behind EvmEngine. Slow and plain; faster ones are checked against it. */
import type { Crypto, PairingCurves, SyncKzgVerifier } from '@keelson/primitives'
import type { EvmEngine } from '../ports.ts'
import { createEvmPools } from './evm-pool.ts'
import { createReferenceSession } from './reference-session.ts'

export interface ReferenceEngineOptions {
  readonly crypto: Crypto
  /** Without it a call of the point evaluation precompile throws EvmError `evm/misuse`. */
  readonly kzg?: SyncKzgVerifier
  /** Without them in JavaScript, which a block full of pairings keeps busy for minutes. */
  readonly curves?: PairingCurves
}

/** Precompiles do not depend on the chain id; any will do to list them. */
const ANY_CHAIN = 0n

export function createReferenceEngine({ crypto, kzg, curves }: ReferenceEngineOptions): EvmEngine {
  const pools = createEvmPools(crypto, kzg ?? null, curves ?? null)
  return {
    name: 'reference',
    open: (view, env, rules, options = {}) => createReferenceSession(view, env, rules, pools.poolFor(rules, env.chainId), options),
    precompiles: (rules) => pools.poolFor(rules, ANY_CHAIN).precompiles,
  }
}
