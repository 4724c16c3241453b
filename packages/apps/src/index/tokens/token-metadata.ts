/** Names are chosen by anyone who deploys a contract, so they are bounded and made harmless. */
import { ContractError, decodeParameters } from '@keelson/contracts'
import { bytesToBigint } from '@keelson/primitives'

const WORD = 32
const MAX_DECIMALS = 77
/** Limits the bytes that are decoded. */
const MAX_OUTPUT_BYTES = 4_096
/** Control, format (which change the direction of text), surrogate, private and unassigned characters, and line separators. */
const HARMFUL = /[\p{C}\p{Zl}\p{Zp}]/gu
/** Marks that follow many others stack above and below the line. */
const STACKED_MARKS = /(\p{M}{2})\p{M}+/gu

export function readText(output: Uint8Array | null, maxLength: number): string | null {
  if (output === null) return null
  const text = output.length === WORD ? fixedText(output) : dynamicText(output.subarray(0, MAX_OUTPUT_BYTES))
  if (text === null) return null
  const clean = text.replace(HARMFUL, '').replace(STACKED_MARKS, '$1').replace(/\s+/g, ' ').trim()
  const short = [...clean].slice(0, maxLength).join('')
  return short === '' ? null : short
}

export function readDecimals(output: Uint8Array | null): number | null {
  if (output?.length !== WORD) return null
  const value = bytesToBigint(output)
  return value > BigInt(MAX_DECIMALS) ? null : Number(value)
}

/** Some old tokens return bytes32. */
function fixedText(output: Uint8Array): string {
  const end = output.indexOf(0)
  return new TextDecoder().decode(end === -1 ? output : output.subarray(0, end))
}

function dynamicText(output: Uint8Array): string | null {
  try {
    return decodeParameters('string', output)[0] as string
  } catch (error) {
    if (error instanceof ContractError) return null
    throw error
  }
}
