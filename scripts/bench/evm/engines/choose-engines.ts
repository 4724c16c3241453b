import { randomBytes } from 'node:crypto'
import type { BlockRules } from '@keelson/chainspec'
import { createWasmEngine, type EvmEngine } from '@keelson/evm'
import type { Crypto } from '@keelson/primitives'
import { CompileThread } from '../../../../packages/node/src/compile/compile-thread.ts'
import { createThreadKzgVerifier } from '../../../../packages/node/src/crypto/kzg-verifier.ts'
import { createPairingCurves } from '../../../../packages/node/src/crypto/pairing-curves.ts'
import { SILENT_LOGGER } from '../../silent-logger.ts'
import type { BenchEngine } from '../work.ts'
import { createAnvilEngine } from './anvil-engine.ts'
import { createEthereumjsEngine } from './ethereumjs-engine.ts'
import { createSessionEngine } from './session-engine.ts'

export const BENCH_ENGINES = ['wasm', 'wasm-interpreter', 'ethereumjs', 'anvil'] as const
export type BenchEngineName = (typeof BENCH_ENGINES)[number]
type OwnEngineName = Exclude<BenchEngineName, 'ethereumjs' | 'anvil'>

const HASH_SEED_BYTES = 80
const HOT_ENTRIES = 16
const MAX_FUNCTIONS = 512

/** Null for an unknown name; all names if `text` is missing. */
export function readEngineNames(text: string | undefined): readonly BenchEngineName[] | null {
  if (text === undefined) return BENCH_ENGINES
  const names = text.split(',').map((name) => BENCH_ENGINES.find((known) => known === name) ?? null)
  return names.includes(null) ? null : (names as BenchEngineName[])
}

export async function createOwnEngines(names: readonly BenchEngineName[], crypto: Crypto): Promise<readonly EvmEngine[]> {
  return Promise.all(names.filter(isOwn).map((name) => createOwnEngine(name, crypto)))
}

export async function openBenchEngine(name: BenchEngineName, crypto: Crypto, rules: BlockRules): Promise<BenchEngine> {
  if (name === 'anvil') return createAnvilEngine(rules.ethFork)
  if (name === 'ethereumjs') return createEthereumjsEngine()
  return createSessionEngine(await createOwnEngine(name, crypto), rules)
}

function isOwn(name: BenchEngineName): name is OwnEngineName {
  return name !== 'ethereumjs' && name !== 'anvil'
}

async function createOwnEngine(name: OwnEngineName, crypto: Crypto): Promise<EvmEngine> {
  const parts = { crypto, curves: await createPairingCurves(), kzg: createThreadKzgVerifier() }
  const seeded = { ...parts, hashSeed: randomBytes(HASH_SEED_BYTES) }
  if (name === 'wasm-interpreter') return createWasmEngine(seeded)
  const compiler = new CompileThread(SILENT_LOGGER, { directory: null })
  return createWasmEngine({ ...seeded, tiers: { compiler, hotEntries: HOT_ENTRIES, mayCompile: () => true, maxFunctions: MAX_FUNCTIONS } })
}
