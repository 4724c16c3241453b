/** The EVM that executes blocks and calls. */
import { randomBytes } from 'node:crypto'
import { createReferenceEngine, createWasmEngine, type EvmEngine, type WasmEngineOptions } from '@keelson/evm'
import { option, optionParsers as parse } from '@keelson/runtime'

export const EVM_NAMES = ['reference', 'wasm', 'wasm-interpreter'] as const
export type EvmName = (typeof EVM_NAMES)[number]

export const evmOptions = {
  evm: option<EvmName>({
    key: 'evm',
    parse: parse.oneOf(...EVM_NAMES),
    default: 'reference',
    description: 'EVM: wasm is the fastest, wasm-interpreter never compiles contracts, reference is @ethereumjs/evm.',
  }),
}

const HASH_SEED_BYTES = 80

export function openEngine(name: EvmName, parts: Omit<WasmEngineOptions, 'hashSeed'>): EvmEngine {
  return name === 'reference' ? createReferenceEngine(parts) : createWasmEngine({ ...parts, hashSeed: randomBytes(HASH_SEED_BYTES) })
}
