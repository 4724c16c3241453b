import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type RpcClient, RpcResponseError } from '@keelson/client'

export interface ServedRpc {
  readonly url: string
  stop(): Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Serves a chain in memory to other processes. */
export async function serveRpc(rpc: RpcClient, port: number): Promise<ServedRpc> {
  const answer = async ({ id, method, params }: Call) => {
    try {
      return { jsonrpc: '2.0', id, result: await rpc.call(method, params) }
    } catch (error) {
      if (!(error instanceof RpcResponseError)) throw error
      return { jsonrpc: '2.0', id, error: { code: error.number, message: error.text } }
    }
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Call | readonly Call[]
    const result = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body as Call)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
