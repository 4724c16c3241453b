/** Numbers 0 to 255: a sorted list up to 31 members, a 32-byte bitmap above. */

const BITMAP_BYTES = 32

export function addToBlockSet(set: Uint8Array | null, member: number): Uint8Array {
  if (set === null) return Uint8Array.of(member)
  if (set.length === BITMAP_BYTES) {
    const bits = set.slice()
    bits[member >> 3] = (bits[member >> 3] as number) | (1 << (member & 7))
    return bits
  }
  const at = positionIn(set, member)
  if (set[at] === member) return set
  if (set.length === BITMAP_BYTES - 1) return addToBlockSet(toBits(set), member)
  const out = new Uint8Array(set.length + 1)
  out.set(set.subarray(0, at))
  out[at] = member
  out.set(set.subarray(at), at + 1)
  return out
}

export function removeFromBlockSet(set: Uint8Array | null, member: number): Uint8Array | null {
  if (set === null) return null
  if (set.length < BITMAP_BYTES) {
    const at = positionIn(set, member)
    if (set[at] !== member) return set
    return set.length === 1 ? null : Uint8Array.from(blockSetMembers(set).filter((other) => other !== member))
  }
  const bits = set.slice()
  bits[member >> 3] = (bits[member >> 3] as number) & ~(1 << (member & 7))
  return blockSetSize(bits) >= BITMAP_BYTES ? bits : Uint8Array.from(blockSetMembers(bits))
}

export function nextInBlockSet(set: Uint8Array | null, from: number): number | null {
  if (set === null) return null
  if (set.length < BITMAP_BYTES) return set[positionIn(set, from)] ?? null
  for (let member = from; member < 256; member++) if (hasBit(set, member)) return member
  return null
}

export function blockSetMembers(set: Uint8Array | null): number[] {
  if (set === null) return []
  if (set.length < BITMAP_BYTES) return [...set]
  const members: number[] = []
  for (let i = 0; i < 256; i++) if (hasBit(set, i)) members.push(i)
  return members
}

export function blockSetSize(set: Uint8Array | null): number {
  if (set === null) return 0
  if (set.length < BITMAP_BYTES) return set.length
  let size = 0
  for (const byte of set) for (let bits = byte; bits !== 0; bits &= bits - 1) size++
  return size
}

function positionIn(list: Uint8Array, member: number): number {
  let at = list.length
  while (at > 0 && (list[at - 1] as number) >= member) at--
  return at
}

function hasBit(bits: Uint8Array, member: number): boolean {
  return ((bits[member >> 3] as number) & (1 << (member & 7))) !== 0
}

function toBits(list: Uint8Array): Uint8Array {
  const bits = new Uint8Array(BITMAP_BYTES)
  for (const member of list) bits[member >> 3] = (bits[member >> 3] as number) | (1 << (member & 7))
  return bits
}
