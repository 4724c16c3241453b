import type { BlockRules } from '@keelson/chainspec'
import { createReferenceEngine, type EvmEngine } from '@keelson/evm'
import type { Crypto } from '@keelson/primitives'
import { createThreadKzgVerifier } from '../../../../packages/node/src/crypto/kzg-verifier.ts'
import { createPairingCurves } from '../../../../packages/node/src/crypto/pairing-curves.ts'
import type { BenchEngine } from '../work.ts'
import { createAnvilEngine } from './anvil-engine.ts'
import { createEthereumjsEngine } from './ethereumjs-engine.ts'
import { createSessionEngine } from './session-engine.ts'

export const BENCH_ENGINES = ['reference', 'ethereumjs', 'anvil'] as const
export type BenchEngineName = (typeof BENCH_ENGINES)[number]
type OwnEngineName = Exclude<BenchEngineName, 'ethereumjs' | 'anvil'>

/** Returns null for an unknown name, all names if `text` is missing. */
export function readEngineNames(text: string | undefined): readonly BenchEngineName[] | null {
  if (text === undefined) return BENCH_ENGINES
  const names = text.split(',').map((name) => BENCH_ENGINES.find((known) => known === name) ?? null)
  return names.includes(null) ? null : (names as BenchEngineName[])
}

/** Leaves out those of other projects. */
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

async function createOwnEngine(_name: OwnEngineName, crypto: Crypto): Promise<EvmEngine> {
  return createReferenceEngine({ crypto, curves: await createPairingCurves(), kzg: createThreadKzgVerifier() })
}
