import type { Hash } from '@keelson/primitives'
import type { Judgement, PeerPool, PeerRequest } from '../peers/peer-pool.ts'
import { decodeRawHeader, type RawHeader } from './raw-header.ts'

/** By hash when the hash is known, so that the first header proves itself. */
export interface HeaderStart {
  readonly number: number
  readonly hash: Hash | null
}

/** Downward from `start`. The response may be shorter than `count`, but not empty. */
export function descendingHeaders(start: HeaderStart, count: number): PeerRequest<readonly Uint8Array[], readonly RawHeader[]> {
  return {
    kind: 'headers',
    send: (peer, signal) => peer.headers({ start: start.hash ?? start.number, count, reverse: true }, signal),
    judge: (response) => judgeDescending(response, start, count),
  }
}

/** One block's header, whose number is not known. */
export async function fetchHeader(pool: PeerPool, hash: Hash, signal: AbortSignal): Promise<RawHeader> {
  const { value } = await pool.request(
    {
      kind: 'headers',
      send: (peer, over) => peer.headers({ start: hash, count: 1, reverse: true }, over),
      judge(response: readonly Uint8Array[]): Judgement<RawHeader> {
        if (response.length === 0) return { kind: 'useless', reason: `does not have block ${hash}` }
        const first = decodeRawHeader(response[0] as Uint8Array)
        if (first === null || first.hash !== hash) return { kind: 'invalid', reason: `another header than that of block ${hash}` }
        return { kind: 'good', value: first, items: 1 }
      },
    },
    signal,
  )
  return value
}

function judgeDescending(response: readonly Uint8Array[], start: HeaderStart, count: number): Judgement<readonly RawHeader[]> {
  if (response.length === 0) return { kind: 'useless', reason: `no header of block ${start.number}` }
  if (response.length > count) return { kind: 'invalid', reason: `${response.length} headers for a request of ${count}` }
  const headers: RawHeader[] = []
  let expected = start.hash
  for (const raw of response) {
    const decoded = decodeRawHeader(raw)
    const number = start.number - headers.length
    if (decoded === null) return { kind: 'invalid', reason: `the header for block ${number} cannot be decoded` }
    // A peer whose head is lower may answer from there on when it was asked for a number.
    if (headers.length === 0 && start.hash === null && decoded.header.number < number)
      return { kind: 'useless', reason: `header ${decoded.header.number} in place of ${number}, which is above the peer's head` }
    if (decoded.header.number !== number) {
      return { kind: 'invalid', reason: `header ${decoded.header.number} in place of ${number}` }
    }
    if (expected !== null && decoded.hash !== expected) {
      return { kind: 'invalid', reason: `header ${number} has hash ${decoded.hash}; expected ${expected}` }
    }
    headers.push(decoded)
    expected = decoded.header.parentHash
  }
  return { kind: 'good', value: headers, items: headers.length }
}
