import { ApiError, valueError } from '../http/api-error.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import type { QuoteOutcome } from './quote/quoter.ts'

/** Throws InvalidRequest naming the wrong field, or ApiError 400 when there is no quote. */
export function answerQuote(
  outcome: QuoteOutcome,
  input: EvmInput,
  at: readonly string[] = ['body', 'input'],
): QuoteOutcome & { readonly ok: true } {
  if (outcome.ok) return outcome
  if (outcome.field === null) throw new ApiError(400, `No quote: ${outcome.detail}`)
  throw valueError([...at, outcome.field], outcome.detail, input[outcome.field])
}
