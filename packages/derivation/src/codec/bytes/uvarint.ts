export function encodeUvarint(value: bigint | number): Uint8Array {
  const out: number[] = []
  let rest = BigInt(value)
  for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80)
  out.push(Number(rest))
  return Uint8Array.from(out)
}
