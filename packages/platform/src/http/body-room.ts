/** Request bodies share a memory budget, of which one address gets only a part. */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'

const MEGABYTE = 1024 * 1024
const FREE_BYTES = 16 * 1024

export interface BodyRoom {
  readonly bytes: number
  readonly bytesPerAddress: number
}

export const BODY_ROOM: BodyRoom = { bytes: 256 * MEGABYTE, bytesPerAddress: 64 * MEGABYTE }

export function createBodyReader(addressOf: (request: FastifyRequest) => string, room: BodyRoom = BODY_ROOM) {
  let total = 0
  const totalOf = new Map<string, number>()
  const held = new WeakMap<FastifyRequest, number>()
  const hold = (request: FastifyRequest, bytes: number) => {
    const more = bytes - (held.get(request) ?? 0)
    if (more === 0) return
    const address = addressOf(request)
    const ofAddress = (totalOf.get(address) ?? 0) + more
    if (more > 0 && (total + more > room.bytes || ofAddress > room.bytesPerAddress))
      throw new ApiError(503, 'Too many large requests at once: try again in a moment', { headers: { 'retry-after': '2' } })
    total += more
    if (ofAddress > 0) totalOf.set(address, ofAddress)
    else totalOf.delete(address)
    held.set(request, bytes)
  }
  return {
    release: (request: FastifyRequest) => hold(request, 0),
    /** Throws ApiError 413, or 503 when the budget is used up. The body of an operation that has none is not kept (RFC 9110, section 9.3.5). */
    async read(request: FastifyRequest, payload: Readable): Promise<string> {
      if (request.routeOptions.schema?.body === undefined) {
        payload.resume()
        return ''
      }
      const limit = request.routeOptions.bodyLimit
      const assertSize = (bytes: number) => {
        if (bytes > limit) throw new ApiError(413, `Request body is larger than ${limit / MEGABYTE} MB`)
      }
      try {
        assertSize(Number(request.headers['content-length'] ?? 0))
        const chunks: Buffer[] = []
        let size = 0
        // destroying the request would close the connection before the refusal is sent
        for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
          size += chunk.length
          assertSize(size)
          hold(request, Math.max(0, size - FREE_BYTES))
          chunks.push(chunk)
        }
        return decoded(Buffer.concat(chunks, size), request.headers['content-type'])
      } catch (error) {
        hold(request, 0)
        payload.resume()
        throw error instanceof ApiError ? error : new ApiError(400, 'The request ended before its body did', { cause: error })
      }
    },
  }
}

/** RFC 8259, section 8.1: JSON is UTF-8, and a parser may ignore a byte order mark. A multipart form may have files of any bytes. */
function decoded(body: Buffer, contentType = ''): string {
  const fatal = !/^\s*multipart\//i.test(contentType)
  try {
    return new TextDecoder('utf-8', { fatal }).decode(body)
  } catch (error) {
    throw new ApiError(400, 'The body is not valid UTF-8', { cause: error })
  }
}
