import { createWasmEngine, type EvmEngine, type TierOptions } from '@keelson/evm'
import type { Hex } from '@keelson/primitives'
import { pairingCurves } from '../../../support/pairing-curves.ts'
import { syncKzg } from '../../../support/sync-kzg.ts'
import { eagerTiers, TEST_HASH_SEED } from '../../../support/test-engine.ts'
import { crypto } from '../evm-case.ts'
import { AnvilRunner } from './anvil-runner.ts'
import type { CaseRunner } from './case-runner.ts'
import { EngineRunner } from './engine-runner.ts'
import { EthereumjsRunner } from './ethereumjs-runner.ts'
import { WitnessRunner } from './witness-runner.ts'

interface EngineChoice {
  open(): CaseRunner
  /** Default percentage of the program sets. */
  readonly share: number
}

const parts = { crypto, kzg: syncKzg, curves: pairingCurves }

const hasEvenHash = (codeHash: Hex): boolean => Number.parseInt(codeHash.slice(-1), 16) % 2 === 0

function wasm(tiers: TierOptions): EvmEngine {
  return createWasmEngine({ ...parts, hashSeed: TEST_HASH_SEED, tiers })
}

export const ENGINES: Readonly<Record<string, EngineChoice>> = {
  'wasm-interpreter': {
    open: () => new EngineRunner('wasm-interpreter', createWasmEngine({ ...parts, hashSeed: TEST_HASH_SEED })),
    share: 100,
  },
  'wasm-tier1': { open: () => new EngineRunner('wasm-tier1', wasm(eagerTiers())), share: 100 },
  'wasm-mixed': { open: () => new EngineRunner('wasm-mixed', wasm(eagerTiers(hasEvenHash))), share: 100 },
  ethereumjs: { open: () => new EthereumjsRunner(), share: 5 },
  // Half of the sets are blocks of L1.
  'second-opinion': {
    open: () => new WitnessRunner(createWasmEngine({ ...parts, hashSeed: TEST_HASH_SEED })),
    share: 4,
  },
  // Half of the sets have rules that it lacks, and it runs a quarter of the blocks: one in a hundred executions.
  anvil: { open: () => new AnvilRunner(), share: 43 },
}

export const DEFAULT_ENGINES: readonly string[] = ['wasm-interpreter', 'wasm-tier1', 'wasm-mixed', 'ethereumjs', 'second-opinion', 'anvil']

/** Unit tests replay kept cases on them. */
export const CORE_ENGINES: readonly string[] = ['wasm-interpreter', 'wasm-tier1', 'wasm-mixed', 'ethereumjs', 'second-opinion']

export function openRunner(name: string): CaseRunner {
  const choice = ENGINES[name]
  if (choice === undefined) throw new Error(`unknown engine ${name}; there are ${Object.keys(ENGINES).join(', ')}`)
  return choice.open()
}
