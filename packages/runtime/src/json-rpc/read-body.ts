import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from '../http/byte-budget.ts'

export type RequestBody =
  /** The caller must release `bytes` to the budget. */
  { readonly ended: 'complete'; readonly text: string; readonly bytes: number } | { readonly ended: 'too-large' | 'no-memory' | 'gone' }

/** `client` is null for a caller without a share of its own. */
export function readBody(request: IncomingMessage, maxBytes: number, memory: ByteBudget, client: string | null): Promise<RequestBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve({ ended: 'too-large' })
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let ended = false
    const end = (body: RequestBody) => {
      if (ended) return
      ended = true
      if (body.ended !== 'complete') {
        memory.release(bytes, client)
        chunks.length = 0
      }
      resolve(body)
    }
    request.on('data', (chunk: Buffer) => {
      if (ended) return
      const refused = bytes + chunk.length > maxBytes ? 'too-large' : memory.tryTake(chunk.length, client) ? null : 'no-memory'
      if (refused !== null) {
        request.pause()
        return end({ ended: refused })
      }
      bytes += chunk.length
      chunks.push(chunk)
    })
    request.once('end', () => end({ ended: 'complete', text: Buffer.concat(chunks).toString('utf8'), bytes }))
    request.once('error', () => end({ ended: 'gone' }))
    request.once('close', () => end({ ended: 'gone' }))
  })
}
