import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StaticFile } from './static-files.ts'

/** Answers 304 when the browser has the file. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  reply.headers({ 'cache-control': file.cacheControl, etag: file.etag, vary: 'accept-encoding' })
  if (reply.statusCode !== 404 && request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  reply.type(file.type)
  if (file.gzipped === null || !acceptsGzip(request)) return reply.send(file.body)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}

function acceptsGzip(request: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?(?:,|$))/.test(String(request.headers['accept-encoding'] ?? ''))
}
