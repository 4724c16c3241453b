import { NodeError } from '@keelson/primitives'

export type ChainspecErrorCode = 'chainspec/fork-schedule' | 'chainspec/rollup-config' | 'chainspec/genesis' | 'chainspec/l1-chain'

export class ChainspecError extends NodeError<ChainspecErrorCode> {
  readonly what: string
  readonly mistakes: readonly string[]
  constructor(code: ChainspecErrorCode, what: string, mistakes: readonly string[]) {
    super(
      code,
      mistakes.length === 1
        ? `${what}: ${mistakes[0]}`
        : `${what}: ${mistakes.length} mistakes:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    )
    this.what = what
    this.mistakes = mistakes
  }
}

/** Runs `load`, and names the file, with the folder it lies in, before the mistakes that `load` finds in it. */
export function loadFrom<T>(file: string, load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof ChainspecError)) throw error
    throw new ChainspecError(error.code, `${error.what} in ${file}`, error.mistakes)
  }
}
