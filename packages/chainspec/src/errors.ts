import { NodeError } from '@keelson/primitives'

export type ChainspecErrorCode = 'chainspec/fork-schedule' | 'chainspec/rollup-config' | 'chainspec/genesis' | 'chainspec/l1-chain'

export class ChainspecError extends NodeError<ChainspecErrorCode> {
  readonly mistakes: readonly string[]
  constructor(code: ChainspecErrorCode, what: string, mistakes: readonly string[]) {
    super(
      code,
      mistakes.length === 1
        ? `${what}: ${mistakes[0]}`
        : `${what}: ${mistakes.length} mistakes:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    )
    this.mistakes = mistakes
  }
}
