/** FastLZ level 1; specs: protocol/fjord/exec-engine.md */
const HASH_BITS = 13
const HASH_MULTIPLIER = 2654435769
const MAX_DISTANCE = 8191
const MAX_LITERAL_RUN = 32
const MAX_MATCH = 262
const TAIL = 13
const MATCH_TAIL = 4

const table = new Uint32Array(1 << HASH_BITS)

function word24(data: Uint8Array, at: number): number {
  return (data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16)
}

function hash(word: number): number {
  return Math.imul(HASH_MULTIPLIER, word) >>> (32 - HASH_BITS)
}

function literalCost(count: number): number {
  const rest = count % MAX_LITERAL_RUN
  return (MAX_LITERAL_RUN + 1) * Math.floor(count / MAX_LITERAL_RUN) + (rest === 0 ? 0 : rest + 1)
}

function matchCost(extra: number): number {
  return 3 * Math.floor(extra / MAX_MATCH) + (extra % MAX_MATCH >= 6 ? 3 : 2)
}

export function fastLzLength(data: Uint8Array): number {
  const limit = data.length - TAIL
  const matchLimit = data.length - MATCH_TAIL
  let cost = 0
  let literalsFrom = 0
  let at = 2
  if (limit > at) table.fill(0)
  while (at < limit) {
    const from = findMatch(data, at, limit)
    if (from === null) break
    at = found.at
    cost += literalCost(at - literalsFrom)
    const extra = matchLength(data, from + 3, at + 3, matchLimit)
    cost += matchCost(extra)
    at += extra + 1
    for (let i = 0; i < 2; i++, at++) table[hash(word24(data, at))] = at
    literalsFrom = at
  }
  return cost + literalCost(data.length - literalsFrom)
}

const found = { at: 0 }

function findMatch(data: Uint8Array, at: number, limit: number): number | null {
  for (let i = at; i < limit; i++) {
    const word = word24(data, i)
    const slot = hash(word)
    const before = table[slot] as number
    table[slot] = i
    if (i - before <= MAX_DISTANCE && i + 1 < limit && word === word24(data, before)) {
      found.at = i
      return before
    }
  }
  return null
}

function matchLength(data: Uint8Array, a: number, b: number, limit: number): number {
  let length = 0
  while (b + length < limit && data[a + length] === data[b + length]) length++
  return b + length < limit ? length : length - 1
}
