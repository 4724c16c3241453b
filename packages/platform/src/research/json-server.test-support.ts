import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface AskedOf {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface JsonServer {
  readonly url: string
  readonly port: number
  answer: (asked: AskedOf) => Reply | null
  asked: AskedOf[]
  close(): void
}

export async function openJsonServer(): Promise<JsonServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      }
      open.asked.push(asked)
      const reply = open.answer(asked)
      if (reply === null) return
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const open: JsonServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    asked: [],
    answer: () => ({}),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return open
}
