import { useEffect, useRef, useState } from 'react'
import { type BlockSummary, fetchBlocks } from './blocks.ts'

/** As many as the picture shows on a wide screen. */
const KEPT = 64
const FETCHED_AT_ONCE = 50

/** The newest blocks in ascending order, followed up to `head`. */
export function useRecentBlocks(head: number | null): readonly BlockSummary[] {
  const [blocks, setBlocks] = useState<readonly BlockSummary[]>([])
  const known = useRef(blocks)
  const isFetching = useRef(false)
  useEffect(() => {
    if (head === null || isFetching.current) return
    const newest = known.current.at(-1)?.number ?? -1
    if (head === newest) return
    // After a long pause or a reorganisation that shortened the chain, begins with the newest blocks.
    const from = head < newest || head - newest > KEPT ? Math.max(0, head - FETCHED_AT_ONCE + 1) : newest + 1
    const to = Math.min(head, from + FETCHED_AT_ONCE - 1)
    isFetching.current = true
    fetchBlocks(Array.from({ length: to - from + 1 }, (_, i) => from + i))
      .then((fetched) => {
        known.current = joined(known.current, fetched)
        setBlocks(known.current)
      })
      .catch(() => undefined)
      .finally(() => {
        isFetching.current = false
      })
  }, [head])
  return blocks
}

/** Drops the known blocks if the fetched ones do not build on them. */
function joined(known: readonly BlockSummary[], fetched: readonly BlockSummary[]): readonly BlockSummary[] {
  const [first] = fetched
  if (first === undefined) return known
  const last = known.at(-1)
  const follows = last !== undefined && last.number + 1 === first.number && last.hash === first.parentHash
  return (follows ? [...known, ...fetched] : fetched).slice(-KEPT)
}
