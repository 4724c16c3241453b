import { randomBytes } from 'node:crypto'
import { type CodeCompiler, createWasmEngine, type EvmEngine, type TierObserver, type WasmEngineOptions } from '@keelson/evm'
import { option, optionParsers as parse } from '@keelson/runtime'
import { tiersWith } from '../compile/tiers.ts'

export const EVM_NAMES = ['wasm', 'wasm-interpreter'] as const
export type EvmName = (typeof EVM_NAMES)[number]

export const evmOptions = {
  evm: option<EvmName>({
    key: 'evm',
    parse: parse.oneOf(...EVM_NAMES),
    default: 'wasm',
    description: 'wasm compiles hot contracts to WebAssembly and keeps them in the data folder; wasm-interpreter never compiles.',
  }),
}

const HASH_SEED_BYTES = 80

type EngineParts = Omit<WasmEngineOptions, 'hashSeed' | 'tiers'>

/** Without a compiler, `wasm` interprets all code. */
export function openEngine(name: EvmName, parts: EngineParts, compiler: CodeCompiler | null = null, observer?: TierObserver): EvmEngine {
  const tiers = name === 'wasm' && compiler !== null ? { tiers: tiersWith(compiler, observer) } : {}
  return createWasmEngine({ ...parts, hashSeed: randomBytes(HASH_SEED_BYTES), ...tiers })
}
