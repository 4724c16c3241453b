import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Loopback {
  readonly url: string
  answers: Readonly<Record<string, unknown>>
  status: number
  readonly asked: readonly string[]
  close(): void
}

export async function openLoopback(): Promise<Loopback> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    asked.push(path)
    const answer = loopback.answers[path]
    if (answer === undefined) return response.writeHead(404).end()
    response.writeHead(loopback.status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const loopback: Loopback = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers: {},
    status: 200,
    asked,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return loopback
}
