import type { CodeCompiler, TierObserver, TierOptions } from '@keelson/evm'

/** Compilation pays off after about this many frames. */
const HOT_ENTRIES = 128
const MAX_FUNCTIONS = 256

export function tiersWith(compiler: CodeCompiler, observer?: TierObserver): TierOptions {
  const options = { compiler, hotEntries: HOT_ENTRIES, maxFunctions: MAX_FUNCTIONS, mayCompile: () => true }
  return observer === undefined ? options : { ...options, observer }
}
