/** Headers downward from a known hash: several ranges are requested at a time, each is yielded once it joins the one above. */
import type { Hash } from '@keelson/primitives'
import type { Answer, PeerPool } from '../peers/peer-pool.ts'
import { descendingHeaders } from './header-requests.ts'
import type { RawHeader } from './raw-header.ts'

export interface HeadersBelow {
  readonly number: number
  readonly hash: Hash
  /** The lowest number to fetch. */
  readonly floor: number
}

interface Range {
  readonly number: number
  readonly count: number
  readonly answer: Promise<Answer<readonly RawHeader[]>>
}

const HEADERS_PER_REQUEST = 512
/** Bounds memory: the headers of this many responses wait for the one above them. */
const MAX_REQUESTS = 8

/** Ends after the header at `floor`. Rejects only when `signal` aborts. */
export async function* headersBelow(pool: PeerPool, top: HeadersBelow, signal: AbortSignal): AsyncGenerator<readonly RawHeader[]> {
  const over = new AbortController()
  const within = AbortSignal.any([signal, over.signal])
  const ahead: Range[] = []
  let next = top.number
  let { hash } = top
  const fetch = (number: number, by: Hash | null, count: number) => pool.request(descendingHeaders({ number, hash: by }, count), within)
  const prefetch = (by: Hash | null) => {
    const count = Math.min(HEADERS_PER_REQUEST, next - top.floor + 1)
    const answer = fetch(next, by, count)
    answer.catch(() => undefined)
    ahead.push({ number: next, count, answer })
    next -= count
  }
  try {
    if (next >= top.floor) prefetch(hash)
    for (let range = ahead.shift(); range !== undefined; range = ahead.shift()) {
      while (ahead.length < MAX_REQUESTS && next >= top.floor) prefetch(null)
      let { value: headers, regret } = await range.answer
      let { number } = range
      const end = number - range.count
      if (headers[0]?.hash !== hash) {
        regret(`block ${number} of another chain`)
        headers = (await fetch(number, hash, range.count)).value
      }
      for (;;) {
        yield headers
        hash = (headers.at(-1) as RawHeader).header.parentHash
        number -= headers.length
        if (number === end) break
        headers = (await fetch(number, hash, number - end)).value
      }
    }
  } finally {
    over.abort()
  }
}
