import type { CodeCompiler, TierOptions } from '@keelson/evm'

/** About as many frames as it takes to earn the time of the compilation back. */
const HOT_ENTRIES = 128
const MAX_FUNCTIONS = 256

export function tiersWith(compiler: CodeCompiler): TierOptions {
  return { compiler, hotEntries: HOT_ENTRIES, maxFunctions: MAX_FUNCTIONS, mayCompile: () => true }
}
