import { bytesToHex } from '@keelson/primitives'

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'
const PANIC_TEXTS: Readonly<Record<number, string>> = {
  0: 'generic panic',
  1: 'assert(false)',
  17: 'arithmetic underflow or overflow',
  18: 'division or modulo by zero',
  33: 'enum overflow',
  34: 'invalid encoded storage byte array accessed',
  49: 'out-of-bounds array access; popping on an empty array',
  50: 'out-of-bounds access of an array or bytesN',
  65: 'out of memory',
  81: 'uninitialized function',
}
const MAX_REASON_BYTES = 16_384

export function decodeRevertReason(output: Uint8Array): string | null {
  if (output.length < 4 + 32) return null
  const selector = bytesToHex(output.subarray(0, 4))
  const word = (i: number) => BigInt(bytesToHex(output.subarray(4 + 32 * i, 36 + 32 * i)))
  if (selector === PANIC_SELECTOR) {
    const code = word(0)
    return PANIC_TEXTS[Number(code)] ?? `unknown panic code: 0x${code.toString(16)}`
  }
  if (selector !== ERROR_SELECTOR || output.length < 4 + 64 || word(0) !== 32n) return null
  const length = word(1)
  if (length > BigInt(Math.min(MAX_REASON_BYTES, output.length - 68))) return null
  return new TextDecoder().decode(output.subarray(68, 68 + Number(length)))
}
