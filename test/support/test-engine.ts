/** The engine under test: KEELSON_TEST_EVM selects one, for `npm run test:conformance -- --evm NAME` and single runs of tests. */
import { createReferenceEngine, createWasmEngine, type EvmEngine } from '@keelson/evm'
import type { Crypto, PairingCurves, SyncKzgVerifier } from '@keelson/primitives'

export const ENGINE_VARIABLE = 'KEELSON_TEST_EVM'
export const TEST_ENGINES = ['reference', 'wasm', 'wasm-interpreter'] as const

export interface TestEngineParts {
  readonly crypto: Crypto
  readonly kzg?: SyncKzgVerifier
  readonly curves?: PairingCurves
}

/** Any seed will do for tests. */
export const TEST_HASH_SEED = Uint8Array.from({ length: 80 }, (_, i) => (37 * i + 11) & 0xff)

export function createTestEngine(parts: TestEngineParts): EvmEngine {
  const chosen = process.env[ENGINE_VARIABLE] ?? 'reference'
  if (!TEST_ENGINES.some((name) => name === chosen)) {
    throw new Error(`${ENGINE_VARIABLE} is ${chosen}; expected one of ${TEST_ENGINES.join(', ')}`)
  }
  return chosen === 'reference' ? createReferenceEngine(parts) : createWasmEngine({ ...parts, hashSeed: TEST_HASH_SEED })
}
