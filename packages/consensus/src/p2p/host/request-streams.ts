/** Requests with one message each way, limited in size and time on both sides. */
import { concatBytes } from '@keelson/primitives'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { messageOf } from '../../errors.ts'

export interface RequestProtocol {
  readonly protocol: string
  readonly aliases: readonly string[]
  readonly maxRequestBytes: number
  readonly maxAnswerBytes: number
  readonly answer: (request: Uint8Array, from: string) => Promise<Uint8Array>
}

const EXCHANGE_TIMEOUT_MS = 10_000
/** Limit over all protocol names together; libp2p's own limit is per name. */
export const MAX_STREAMS_OF_A_PEER = 32

export async function serveRequests(node: Libp2p, { protocol, aliases, maxRequestBytes, answer }: RequestProtocol): Promise<void> {
  const openOf = new Map<string, number>()
  await node.handle(
    [protocol, ...aliases],
    ({ stream, connection }) => {
      const peer = connection.remotePeer.toString()
      const open = openOf.get(peer) ?? 0
      if (open >= MAX_STREAMS_OF_A_PEER) return stream.abort(new Error(`more than ${MAX_STREAMS_OF_A_PEER} requests at once`))
      openOf.set(peer, open + 1)
      const signal = AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)
      const serve = async () => {
        const request = await readAll(stream, maxRequestBytes, signal)
        // limits how long a slow reader keeps the response in memory
        await abortable(stream, signal, async () => stream.sink([await answer(request, peer)]))
        await stream.close({ signal })
      }
      serve()
        .catch((error: unknown) => stream.abort(asError(error)))
        .finally(() => {
          const left = (openOf.get(peer) ?? 1) - 1
          if (left === 0) openOf.delete(peer)
          else openOf.set(peer, left)
        })
    },
    { maxInboundStreams: MAX_STREAMS_OF_A_PEER, maxOutboundStreams: MAX_STREAMS_OF_A_PEER },
  )
}

export async function sendRequest(
  connection: Connection,
  { protocol, maxAnswerBytes }: RequestProtocol,
  data: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)])
  const stream = await connection.newStream(protocol, { signal: limit })
  try {
    await stream.sink([data])
    const received = await readAll(stream, maxAnswerBytes, limit)
    await stream.close({ signal: limit })
    return received
  } catch (error) {
    stream.abort(asError(error))
    throw error
  }
}

function readAll(stream: Stream, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  return abortable(stream, signal, async () => {
    const parts: Uint8Array[] = []
    let total = 0
    for await (const part of stream.source) {
      total += part.byteLength
      if (total > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
      parts.push(part.slice())
    }
    return concatBytes(...parts)
  })
}

async function abortable<T>(stream: Stream, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const onAbort = () => stream.abort(new Error('the other side took too long'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    return await work()
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error))
}
