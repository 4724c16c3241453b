/** A set of numbers 0..255: a sorted list of bytes while short, 32 bytes of bits from 32 members on. */
const BITMAP_BYTES = 32

export function addToBlockSet(set: Uint8Array | null, member: number): Uint8Array {
  const members = blockSetMembers(set)
  if (members.includes(member)) return set as Uint8Array
  return encode([...members, member].sort((a, b) => a - b))
}

/** Null when nothing is left. */
export function removeFromBlockSet(set: Uint8Array | null, member: number): Uint8Array | null {
  const left = blockSetMembers(set).filter((other) => other !== member)
  return left.length === 0 ? null : encode(left)
}

/** Lowest member that is not below `from`; null when there is none. */
export function nextInBlockSet(set: Uint8Array | null, from: number): number | null {
  return blockSetMembers(set).find((member) => member >= from) ?? null
}

export function blockSetMembers(set: Uint8Array | null): number[] {
  if (set === null) return []
  if (set.length < BITMAP_BYTES) return [...set]
  const members: number[] = []
  for (let i = 0; i < 256; i++) if (((set[i >> 3] as number) & (1 << (i & 7))) !== 0) members.push(i)
  return members
}

function encode(members: readonly number[]): Uint8Array {
  if (members.length < BITMAP_BYTES) return Uint8Array.from(members)
  const bits = new Uint8Array(BITMAP_BYTES)
  for (const member of members) bits[member >> 3] = (bits[member >> 3] as number) | (1 << (member & 7))
  return bits
}
