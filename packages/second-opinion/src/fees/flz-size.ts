/** Size after FastLZ compression at level 1, equal to the compressor's output. specs: protocol/fjord/exec-engine.md */
const WINDOW = 8_192
const HASH_MULTIPLIER = 2_654_435_769
const HASH_SHIFT = 19
/** No match starts in the last 13 bytes or extends into the last four. */
const UNMATCHED_TAIL = 13
const KEPT_TAIL = 4
const LITERALS_PER_RUN = 32
const LONGEST_MATCH = 262

const read24 = (data: Uint8Array, at: number) =>
  (data[at] as number) + (data[at + 1] as number) * 2 ** 8 + (data[at + 2] as number) * 2 ** 16
const hashOf = (word: number) => Math.imul(HASH_MULTIPLIER, word) >>> HASH_SHIFT

/** A run of up to 32 literals has one control byte. */
const literalsSize = (count: number) => count + Math.ceil(count / LITERALS_PER_RUN)

/** `length` excludes the first two bytes. A match takes two bytes, or three if long; one of more than 262 bytes is split. */
function matchSize(length: number): number {
  const whole = Math.floor((length - 1) / LONGEST_MATCH)
  return 3 * whole + ((length - 1) % LONGEST_MATCH >= 6 ? 3 : 2)
}

export function flzSize(data: Uint8Array): number {
  const lastStart = data.length - UNMATCHED_TAIL
  const seen = new Int32Array(WINDOW)
  const remember = (at: number) => {
    seen[hashOf(read24(data, at))] = at
  }
  let size = 0
  let literalsFrom = 0
  let at = 2
  while (at < lastStart) {
    const word = read24(data, at)
    const candidate = seen[hashOf(word)] as number
    remember(at)
    // A match in the last position before the tail is not taken.
    const matches = at - candidate < WINDOW && read24(data, candidate) === word && at + 1 < lastStart
    if (!matches) {
      at++
      continue
    }
    size += literalsSize(at - literalsFrom)
    let equal = 0
    while (at + 3 + equal < data.length - KEPT_TAIL && data[candidate + 3 + equal] === data[at + 3 + equal]) equal++
    // The compressor counts the byte that differs as part of the match.
    const length = at + 3 + equal < data.length - KEPT_TAIL ? equal + 1 : equal
    size += matchSize(length)
    at += length
    remember(at)
    remember(at + 1)
    at += 2
    literalsFrom = at
  }
  return size + literalsSize(data.length - literalsFrom)
}
