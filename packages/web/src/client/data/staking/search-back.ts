/** Searches the past in ranges that the node accepts, because nodes limit the blocks of one request differently. */
export interface SearchedBack<T> {
  /** Newest first. */
  readonly found: readonly T[]
  /** First block that was searched. */
  readonly from: number
}

/** Blocks in ascending order; throws when the range is too long or the node has not got it. */
export type SearchRange<T> = (from: number, to: number) => Promise<readonly T[]>

const LONGEST_RANGE = 100_000
const SHORTEST_RANGE = 1_000
const MAX_REQUESTS = 20

/** Ends with `wanted` results, at block 0, or after so many requests. Throws what the shortest range throws. */
export async function searchBack<T>(search: SearchRange<T>, before: number, wanted: number): Promise<SearchedBack<T>> {
  const found: T[] = []
  let from = before
  let range = LONGEST_RANGE
  for (let request = 0; request < MAX_REQUESTS && from > 0 && found.length < wanted; request++) {
    const start = Math.max(0, from - range)
    try {
      found.push(...[...(await search(start, from - 1))].reverse())
      from = start
    } catch (error) {
      if (range <= SHORTEST_RANGE) throw error
      range = Math.max(SHORTEST_RANGE, Math.floor(range / 10))
    }
  }
  return { found, from }
}
