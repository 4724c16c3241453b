/** Sends requests without pauses, except for Retry-After. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

const [url = '', addresses = ''] = process.argv.slice(2)
const CONNECTIONS = 8
const MAX_WAIT_SEC = 2
const counted = { answered: 0, refused: 0 }
let stopped = false

function ask(agent: Agent, localAddress: string, body: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url, { method: 'POST', agent, localAddress, headers }, (response) => {
      response.resume()
      if (response.statusCode === 200) counted.answered++
      else counted.refused++
      response.once('close', () => resolve(response.statusCode === 200 ? 0 : Number(response.headers['retry-after'] ?? 1)))
    })
    outgoing.once('error', () => resolve(1))
    outgoing.end(body)
  })
}

async function keepAsking(localAddress: string, bodies: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let i = 0; !stopped; i++) {
    const waitSec = await ask(agent, localAddress, bodies[i % bodies.length] as string)
    if (waitSec > 0) await delay(Math.min(waitSec, MAX_WAIT_SEC) * 1_000)
  }
}

process.on('message', (message: readonly string[] | 'stop') => {
  if (message === 'stop') {
    stopped = true
    process.send?.(counted)
    return
  }
  for (const address of addresses.split(',')) for (let i = 0; i < CONNECTIONS; i++) void keepAsking(address, message)
  process.send?.('begun')
})
process.on('disconnect', () => process.exit())
