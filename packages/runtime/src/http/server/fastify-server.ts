import type { RequestListener, Server } from 'node:http'
import { createHttpServer, type HttpServerOptions } from './http-server.ts'

export interface FastifyServerOptions extends HttpServerOptions {
  /** Closes a connection without traffic for so long while a request arrives or is answered. Default: never. */
  readonly connectionTimeoutMs?: number
}

/** Options for Fastify, which leaves the time limits to a server that it did not make. */
export function fastifyServer({ connectionTimeoutMs, ...options }: FastifyServerOptions) {
  return {
    serverFactory(handler: RequestListener): Server {
      const server = createHttpServer(options, handler)
      if (connectionTimeoutMs !== undefined) server.setTimeout(connectionTimeoutMs)
      return server
    },
    // The server has answered already.
    clientErrorHandler: () => undefined,
  }
}
