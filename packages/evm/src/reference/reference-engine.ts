import type { Crypto, SyncKzgVerifier } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { EvmEngine } from '../ports.ts'

export interface ReferenceEngineOptions {
  readonly crypto: Crypto
  /** Without it the point evaluation precompile fails loudly. */
  readonly kzg?: SyncKzgVerifier
}

export function createReferenceEngine(_options: ReferenceEngineOptions): EvmEngine {
  return {
    name: 'reference',
    open: () => {
      throw new EvmError('evm/misuse', 'the reference engine is not built yet')
    },
    precompiles: () => [],
  }
}
