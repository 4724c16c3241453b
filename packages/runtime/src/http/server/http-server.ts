/** One set-up for every HTTP port: what RFC 9110 and RFC 9112 ask of a server that Node's does not do by itself. */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limitReadTime, READ_DEADLINE_MS } from '../read-deadline.ts'
import { closeUnlessAllIsRead, IncomingRequest, isWebSocketUpgrade } from './incoming-request.ts'
import { type ParseError, parseFault } from './parse-fault.ts'
import { type AllowedMethods, type HttpFault, hostNameFault, methodFault, requestFault } from './request-fault.ts'
import { useOriginForm } from './request-target.ts'

export interface HttpServerOptions {
  /** Host names answered to, besides local ones; `*` for all. Null: the handler checks the name. */
  readonly virtualHosts: readonly string[] | null
  /** Methods of a target, for the answer to others. */
  readonly allowed: AllowedMethods
  /** In the form that the port answers in. Default: a line of text. */
  readonly renderFault?: RenderFault
  /** Milliseconds that a client has to read what waits for it; then its connection is closed. */
  readonly readDeadlineMs?: number
  readonly node: ServerOptions
}

export interface FaultBody {
  readonly type: string
  readonly body: string
}

export type RenderFault = (fault: HttpFault) => FaultBody

const DEFAULT_MAX_HEAD_BYTES = 16_384
const asText: RenderFault = ({ message }) => ({ type: 'text/plain; charset=utf-8', body: `${message}\n` })

/** A listener for `upgrade`, added by the caller, gets WebSocket handshakes only. */
export function createHttpServer(
  { allowed, virtualHosts, node, renderFault = asText, readDeadlineMs = READ_DEADLINE_MS }: HttpServerOptions,
  handler: RequestListener,
): Server {
  const maxHeadBytes = node.maxHeaderSize ?? DEFAULT_MAX_HEAD_BYTES
  const faultText = (fault: HttpFault) => headOf(fault, renderFault(fault))
  const last = new WeakMap<Duplex, ServerResponse>()
  const server: Server = createServer(
    { ...node, maxHeaderSize: maxHeadBytes, IncomingMessage: IncomingRequest, ...UPGRADES },
    (request, response) => {
      last.set(request.socket, response)
      const target = request.url ?? '/'
      useOriginForm(request)
      if ((request as IncomingRequest).ignoresUpgrade) closeUnlessAllIsRead(request, target, response)
      const fault = requestFault(request, allowed) ?? hostNameFault(request, virtualHosts)
      if (fault !== null) {
        const { type, body } = renderFault(fault)
        response.shouldKeepAlive = false
        response.writeHead(fault.status, { ...fault.headers, 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
        return
      }
      if (request.url === '*') {
        // RFC 9110 section 9.3.7
        const allow = allowed('*') ?? ''
        if (request.method === 'OPTIONS') response.writeHead(204, { allow }).end()
        else response.writeHead(400, { 'content-length': 0 }).end()
        return
      }
      return handler(request, response)
    },
  )
  limitReadTime(server, readDeadlineMs)
  server.on('clientError', (error: ParseError, socket: Duplex) => {
    const answer = last.get(socket)
    // The request that cannot be parsed further has its answer, which ends the connection.
    if (answer?.writableEnded === true && !answer.shouldKeepAlive) return
    const isInside = answer?.headersSent === true && !answer.writableFinished
    const fault = isInside ? null : parseFault(error, socket as Socket, { allowed, maxHeadBytes })
    if (fault === null) socket.destroy()
    else socket.end(faultText(fault))
  })
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy())
    // Nothing reads from it, so its end would not be seen.
    socket.once('finish', () => socket.destroy())
    socket.end(faultText(methodFault('CONNECT', request.url ?? '', () => allowed('*') ?? '')))
  })
  return server
}

/** Newer releases of Node ask this function instead of the request. */
const UPGRADES = { shouldUpgradeCallback: isWebSocketUpgrade }

function headOf({ status, headers }: HttpFault, { type, body }: FaultBody): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries({ ...headers, 'content-type': type, 'content-length': String(Buffer.byteLength(body)), connection: 'close' }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
