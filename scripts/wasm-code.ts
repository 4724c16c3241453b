/** WebAssembly core specification 2.0, chapter 5. */

export const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
export const I32 = 0x7f
export const I64 = 0x7e
const EMPTY_BLOCK = 0x40

export function unsigned(value: number): number[] {
  const out: number[] = []
  let rest = value
  do {
    const low = rest & 0x7f
    rest >>>= 7
    out.push(rest === 0 ? low : low | 0x80)
  } while (rest !== 0)
  return out
}

function signed(value: number): number[] {
  const out: number[] = []
  let rest = value
  for (;;) {
    const low = rest & 0x7f
    rest >>= 7
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) return [...out, low]
    out.push(low | 0x80)
  }
}

export const get = (local: number) => [0x20, ...unsigned(local)]
export const set = (local: number) => [0x21, ...unsigned(local)]
export const tee = (local: number) => [0x22, ...unsigned(local)]
export const i32Const = (value: number) => [0x41, ...signed(value)]
export const i64Const = (value: number) => [0x42, ...signed(value)]
export const i64Load = (offset: number) => [0x29, 3, ...unsigned(offset)]
export const i64Store = (offset: number) => [0x37, 3, ...unsigned(offset)]
export const I32_ADD = [0x6a]
export const I32_SUB = [0x6b]
export const I32_LT_U = [0x49]
export const I64_AND = [0x83]
export const I64_XOR = [0x85]
export const I64_ROTL = [0x89]
export const I64_ROTR = [0x8a]
export const I64_ADD = [0x7c]
export const I32_EQZ = [0x45]
export const BLOCK = [0x02, EMPTY_BLOCK]
export const br = (depth: number) => [0x0c, ...unsigned(depth)]
export const brIf = (depth: number) => [0x0d, ...unsigned(depth)]
export const IF = [0x04, EMPTY_BLOCK]
export const LOOP = [0x03, EMPTY_BLOCK]
export const BR_IF_0 = [0x0d, 0]
export const END = [0x0b]

export function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

export function named(text: string): number[] {
  return [...unsigned(text.length), ...new TextEncoder().encode(text)]
}
