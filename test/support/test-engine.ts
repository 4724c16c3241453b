/** KEELSON_TEST_EVM selects the engine. */
import { createWasmEngine, type EvmEngine, SynchronousCompiler, type TierOptions } from '@keelson/evm'
import type { Crypto, Hex, PairingCurves, SyncKzgVerifier } from '@keelson/primitives'

export const ENGINE_VARIABLE = 'KEELSON_TEST_EVM'
/** `wasm` compiles all code before it runs, `wasm-mixed` every second code by its hash. */
export const TEST_ENGINES = ['wasm', 'wasm-mixed', 'wasm-interpreter'] as const

export interface TestEngineParts {
  readonly crypto: Crypto
  readonly kzg?: SyncKzgVerifier
  readonly curves?: PairingCurves
}

export const TEST_HASH_SEED = Uint8Array.from({ length: 80 }, (_, i) => (37 * i + 11) & 0xff)

export function createTestEngine(parts: TestEngineParts): EvmEngine {
  const chosen = process.env[ENGINE_VARIABLE] ?? 'wasm-interpreter'
  if (!TEST_ENGINES.some((name) => name === chosen)) {
    throw new Error(`${ENGINE_VARIABLE} is ${chosen}; expected one of ${TEST_ENGINES.join(', ')}`)
  }
  const mayCompile = { wasm: () => true, 'wasm-mixed': hasEvenHash }[chosen]
  const tiers = mayCompile === undefined ? {} : { tiers: eagerTiers(mayCompile) }
  return createWasmEngine({ ...parts, hashSeed: TEST_HASH_SEED, ...tiers })
}

export function eagerTiers(mayCompile: (codeHash: Hex) => boolean = () => true): TierOptions {
  return { compiler: new SynchronousCompiler(), hotEntries: 0, mayCompile, maxFunctions: 512 }
}

const hasEvenHash = (codeHash: Hex): boolean => Number.parseInt(codeHash.slice(-1), 16) % 2 === 0
