/**
 * Bodies as they come in, read as texts. Those that are being received and judged take so much memory together and no
 * more, and those of one address a part of it, so that a few who send slowly leave room for the rest.
 */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'

const MEGABYTE = 1024 * 1024
/** Of any one body, that is not counted. */
const FREE_BYTES = 16 * 1024

export interface BodyRoom {
  /** Of all bodies. */
  readonly bytes: number
  readonly bytesOfOne: number
}

export const BODY_ROOM: BodyRoom = { bytes: 256 * MEGABYTE, bytesOfOne: 64 * MEGABYTE }

export interface BodyTexts {
  /** Rejects with ApiError 413 over the route's limit, and 503 while there is no room. */
  read(request: FastifyRequest, payload: Readable): Promise<string>
  /** The text is not needed any more. */
  release(request: FastifyRequest): void
}

export function createBodyTexts(subscriberOf: (request: FastifyRequest) => string, { bytes, bytesOfOne }: BodyRoom = BODY_ROOM): BodyTexts {
  let taken = 0
  const takenBy = new Map<string, number>()
  const holds = new WeakMap<FastifyRequest, { readonly who: string; bytes: number }>()
  const count = (who: string, more: number) => {
    taken += more
    const now = (takenBy.get(who) ?? 0) + more
    if (now > 0) takenBy.set(who, now)
    else takenBy.delete(who)
  }
  const release = (request: FastifyRequest) => {
    const hold = holds.get(request)
    if (hold === undefined) return
    holds.delete(request)
    count(hold.who, -hold.bytes)
  }
  /** Whether there was room. */
  const grow = (request: FastifyRequest, more: number): boolean => {
    const hold = holds.get(request) ?? { who: subscriberOf(request), bytes: 0 }
    if (taken + more > bytes || (takenBy.get(hold.who) ?? 0) + more > bytesOfOne) return false
    holds.set(request, hold)
    hold.bytes += more
    count(hold.who, more)
    return true
  }
  return {
    release,
    read(request, payload) {
      const limit = request.routeOptions.bodyLimit
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = []
        let size = 0
        const leave = () => {
          payload.off('data', onData)
          payload.off('end', onEnd)
          payload.off('error', onError)
          payload.off('close', onClose)
        }
        const fail = (error: unknown) => {
          leave()
          release(request)
          reject(error)
        }
        const tooLarge = () => fail(new ApiError(413, `Request body is larger than ${limit / MEGABYTE} MB`))
        const onData = (chunk: Buffer) => {
          const counted = Math.max(0, size - FREE_BYTES)
          size += chunk.length
          if (size > limit) return tooLarge()
          const more = Math.max(0, size - FREE_BYTES) - counted
          if (more > 0 && !grow(request, more))
            return fail(new ApiError(503, 'Too many large requests at once: try again in a moment', { headers: { 'retry-after': '2' } }))
          chunks.push(chunk)
        }
        const onEnd = () => {
          leave()
          resolve(Buffer.concat(chunks, size).toString('utf8'))
        }
        const onError = (error: Error) => fail(Object.assign(error, { statusCode: 400 }))
        const onClose = () => fail(new ApiError(400, 'The request ended before its body did'))
        payload.on('data', onData)
        payload.on('end', onEnd)
        payload.on('error', onError)
        payload.on('close', onClose)
        if (Number(request.headers['content-length']) > limit) tooLarge()
      })
    },
  }
}
