/** What a reverted call says. */
import type { AbiDocument } from '../../../shared/abi-document.ts'
import { type Decoded, decodeError, valueText } from './decode.ts'

/** `words` for people; `error` is an error of a contract with its arguments. */
export type Revert = { readonly words: string } | { readonly error: Decoded }

/** Codes of Panic(uint256). https://docs.soliditylang.org/en/latest/control-structures.html#panic-via-assert-and-error-via-require */
const PANICS: Readonly<Record<string, string>> = {
  '0x0': 'the compiler panicked',
  '0x1': 'an assertion failed',
  '0x11': 'an arithmetic operation overflowed',
  '0x12': 'a division by zero',
  '0x21': 'a value that the enumeration does not have',
  '0x22': 'a byte array in storage is encoded wrongly',
  '0x31': 'pop() on an empty array',
  '0x32': 'an index outside the array',
  '0x41': 'too much memory was allocated',
  '0x51': 'a call of a function that was not set',
}

/** Declarations that come first are preferred. Null for no data, and for an error that none of them declares. */
export function readRevert(data: string | undefined, abis: readonly (AbiDocument | null)[]): Revert | null {
  if (data === undefined || data === '0x') return null
  for (const known of abis) {
    const error = known === null ? null : decodeError(data, known)
    if (error === null) continue
    const [first] = error.values
    if (error.name === 'Error' && typeof first?.value === 'string') return { words: first.value }
    if (error.name === 'Panic' && typeof first?.value === 'bigint') return { words: panicText(first.value) }
    return { error }
  }
  return null
}

/** `InsufficientFunds(available: 5, required: 10)` */
export function revertText(revert: Revert): string {
  if ('words' in revert) return revert.words
  const { name, values } = revert.error
  return `${name}(${values.map((one) => `${one.name === '' ? '' : `${one.name}: `}${valueText(one.value)}`).join(', ')})`
}

function panicText(code: bigint): string {
  const shown = `0x${code.toString(16)}`
  return `panic ${shown}: ${PANICS[shown] ?? 'a code that Solidity does not define'}`
}
