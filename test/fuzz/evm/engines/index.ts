/** The engines that `--engines` names. */
import { createReferenceEngine, createWasmEngine } from '@keelson/evm'
import { pairingCurves } from '../../../support/pairing-curves.ts'
import { syncKzg } from '../../../support/sync-kzg.ts'
import { crypto } from '../evm-case.ts'
import { AnvilRunner } from './anvil-runner.ts'
import type { CaseRunner } from './case-runner.ts'
import { EngineRunner } from './engine-runner.ts'
import { EthereumjsRunner } from './ethereumjs-runner.ts'

interface EngineChoice {
  open(): CaseRunner
  /** Part of the program sets that it runs by default, in percent. */
  readonly share: number
}

/** The seed protects hash tables against chosen keys; a fixed one makes runs repeatable. */
const HASH_SEED = new Uint8Array(80).fill(0x5e)
const parts = { crypto, kzg: syncKzg, curves: pairingCurves }

export const ENGINES: Readonly<Record<string, EngineChoice>> = {
  'wasm-interpreter': {
    open: () => new EngineRunner('wasm-interpreter', createWasmEngine({ ...parts, hashSeed: HASH_SEED }), false),
    share: 100,
  },
  reference: { open: () => new EngineRunner('reference', createReferenceEngine(parts)), share: 6 },
  ethereumjs: { open: () => new EthereumjsRunner(), share: 2 },
  anvil: { open: () => new AnvilRunner(), share: 1 },
}

export const DEFAULT_ENGINES: readonly string[] = ['wasm-interpreter', 'reference', 'ethereumjs', 'anvil']

/** Engines without a process of their own; unit tests replay kept cases on them. */
export const CORE_ENGINES: readonly string[] = ['wasm-interpreter', 'reference', 'ethereumjs']

export function openRunner(name: string): CaseRunner {
  const choice = ENGINES[name]
  if (choice === undefined) throw new Error(`unknown engine ${name}; there are ${Object.keys(ENGINES).join(', ')}`)
  return choice.open()
}
