import type { BlockRules } from '@keelson/chainspec'
import type { Crypto, PairingCurves, SyncKzgVerifier } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import { keyBytes } from '../journal/byte-key.ts'
import type { EvmEngine } from '../ports.ts'
import { precompilesAt } from '../precompiles/precompiles-at.ts'
import type { PrecompileIds } from './call-host.ts'
import { CoreInstance, SEED_BYTES } from './core-instance.ts'
import { refuseFollowedFork } from './fork-table.ts'
import { MEMORY } from './layout.ts'
import { numberPrecompiles } from './precompile-ids.ts'
import type { TierOptions } from './tiering/hot-code.ts'
import { type CoreLender, WasmSession } from './wasm-session.ts'

export interface WasmEngineOptions {
  readonly crypto: Crypto
  readonly kzg?: SyncKzgVerifier
  /** If omitted, slow JavaScript is used. */
  readonly curves?: PairingCurves
  /** 80 secret random bytes. */
  readonly hashSeed: Uint8Array
  readonly tiers?: TierOptions
}

/** An instance's memory cannot shrink. */
const MAX_KEPT_BYTES = MEMORY + 2 ** 28

export function createWasmEngine({ crypto, kzg, curves, hashSeed, tiers }: WasmEngineOptions): EvmEngine {
  if (hashSeed.length !== SEED_BYTES) {
    throw new EvmError('evm/misuse', `the hash seed has ${hashSeed.length} bytes; expected ${SEED_BYTES} random bytes`)
  }
  const numbered = new WeakMap<BlockRules, PrecompileIds>()
  const precompilesOf = (rules: BlockRules): PrecompileIds => {
    let ids = numbered.get(rules)
    if (ids === undefined) {
      refuseFollowedFork(rules.ethFork)
      ids = numberPrecompiles(precompilesAt(rules, { crypto, kzg: kzg ?? null, curves: curves ?? null }))
      numbered.set(rules, ids)
    }
    return ids
  }
  const lender = new InstanceHolder(hashSeed, tiers ?? null)
  return {
    name: tiers === undefined ? 'wasm-interpreter' : 'wasm',
    open: (view, env, rules, options = {}) => new WasmSession(view, env, rules, lender, precompilesOf(rules), options),
    precompiles: (rules) => [...precompilesOf(rules).ids.keys()].map(keyBytes),
  }
}

class InstanceHolder implements CoreLender {
  readonly #seed: Uint8Array
  readonly #tiers: TierOptions | null
  #instance: CoreInstance | null = null
  #busy = false

  constructor(seed: Uint8Array, tiers: TierOptions | null) {
    this.#seed = seed
    this.#tiers = tiers
  }

  use<T>(call: (core: CoreInstance) => T): T {
    if (this.#busy) throw new EvmError('evm/misuse', 'a call was made from within another call of the same engine; calls do not nest')
    const core = this.#instance ?? new CoreInstance(this.#seed, this.#tiers)
    this.#instance = core
    this.#busy = true
    try {
      return call(core)
    } catch (error) {
      // Its tables may be inconsistent.
      if (error instanceof EvmError && error.code === 'evm/limit') this.#instance = null
      throw error
    } finally {
      this.#busy = false
      if (core.memory.bytes.length > MAX_KEPT_BYTES) this.#instance = null
    }
  }
}
