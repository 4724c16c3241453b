/** The better quote that can be had: one that can be executed, else one of oracle prices. */
import type { EvmInput } from '../../schemas/evm-input.ts'
import type { QuoteOutcome, Quoter } from './quoter.ts'

export type BestQuote = QuoteOutcome & {
  /** Why it cannot be executed; null when it can. */
  readonly referenceBecause: string | null
}

/** Throws what the sources throw. */
export async function bestQuote(quoter: Pick<Quoter, 'executable' | 'reference'>, input: EvmInput, sessionId: string): Promise<BestQuote> {
  const executable = await quoter.executable(input, sessionId)
  // what is wrong with the input is wrong for both
  if (executable.ok || executable.field !== null) return { ...executable, referenceBecause: null }
  const reference = await quoter.reference(input, sessionId)
  if (reference.ok || reference.field !== null) return { ...reference, referenceBecause: executable.detail }
  return { ...reference, detail: `${executable.detail}; ${reference.detail}`, referenceBecause: executable.detail }
}
