/**
 * Latency of the agent platform with many concurrent users, compared with a bare fastify service on one PostgreSQL server.
 *   npm run build && node --import=tsx scripts/bench/load/platform-load.ts --database URL
 *     [--users N] [--seconds N] [--rate N] [--port-offset N] [--beside NAME=URL ...] [--only KIND] [--profile FOLDER]
 *   --database  an empty PostgreSQL database; --rate  requests per second of each kind, 0 for the maximum;
 *   --beside  a service with the same three endpoints on the same database, which accepts tokens of the key
 *   BENCH_TOKEN_KEY; --only  chat, quote or metrics; --profile  folder for a CPU profile of the platform
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { newDevnetFolder, startDevnet } from '../../../test/support/devnet-process.ts'
import { type KeelsonProcess, startKeelson } from '../../../test/support/keelson-process.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { formatTable } from '../table.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    users: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '0' },
    'port-offset': { type: 'string', default: '12000' },
    beside: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
})
const databaseUrl = values.database
if (databaseUrl === undefined) throw new Error('--database: expected the URL of an empty PostgreSQL database')
const users = Number(values.users)
const seconds = Number(values.seconds)
const rate = Number(values.rate)
const portOffset = Number(values['port-offset'])

const PLATFORM_PORT = 9_500 + portOffset
const BARE_PORT = 9_510 + portOffset
const TOKEN_KEY = process.env.BENCH_TOKEN_KEY ?? '5a'.repeat(32)
const PASSWORD = 'correct horse battery staple'
const REGISTERING = 8
const WARM_UP_SEC = 3
const JSON_TYPE = { 'content-type': 'application/json' }

interface Service {
  readonly name: string
  readonly url: string
}

interface Kind {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

async function post<T>(url: string, body: unknown, token?: string): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function register(url: string): Promise<readonly string[]> {
  const tokens: string[] = []
  let next = 0
  const one = async () => {
    for (let i = next++; i < users; i = next++) {
      const email = `load-${process.pid}-${i}@example.org`
      const user = await post<{ token: { access_token: string } }>(`${url}/api/v1/auth/register`, { email, password: PASSWORD })
      const session = await post<{ token: { access_token: string } }>(`${url}/api/v1/auth/session`, undefined, user.token.access_token)
      tokens.push(session.token.access_token)
    }
  }
  await Promise.all(Array.from({ length: REGISTERING }, one))
  return tokens
}

async function answers(url: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    const there = await fetch(url).then(
      () => true,
      () => false,
    )
    if (there) return
    await delay(100)
  }
  throw new Error(`${url} did not answer within a minute`)
}

function load({ url }: Service, { method, path, body }: Kind, tokens: readonly string[], durationSec: number): Promise<autocannon.Result> {
  let next = 0
  return autocannon({
    url: url + path,
    method,
    ...(body === undefined ? {} : { body }),
    connections: users,
    duration: durationSec,
    ...(rate === 0 ? {} : { overallRate: rate }),
    setupClient(client) {
      client.setHeaders({ ...JSON_TYPE, authorization: `Bearer ${tokens[next++ % tokens.length]}` })
    },
  })
}

async function measure(service: Service, kind: Kind, tokens: readonly string[]): Promise<readonly string[]> {
  await load(service, kind, tokens, WARM_UP_SEC)
  const result = await load(service, kind, tokens, seconds)
  const refused = result.non2xx + result.errors + result.timeouts
  const { p50, p99 } = result.latency
  return [`${service.name}, ${kind.name}`, result.requests.average.toFixed(0), `${p50} ms`, `${p99} ms`, String(refused)]
}

console.log(machineLine(describeMachine()))
const folder = newDevnetFolder()
const devnet = await startDevnet(folder, portOffset)
const started: KeelsonProcess[] = []
const bare = spawn(
  process.execPath,
  [
    '--import=tsx',
    join(import.meta.dirname, 'bare-fastify-main.ts'),
    JSON.stringify({ port: String(BARE_PORT), databaseUrl, secretHex: TOKEN_KEY }),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)
try {
  const { contracts, l2 } = devnet.facts
  const args = ['platform', '--data-dir', join(folder, 'load'), '--devnet', folder, '--http.port', String(PLATFORM_PORT)]
  const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', values.profile]
  const env = { DATABASE_URL: databaseUrl, KEELSON_TOKEN_KEYS: `load:${TOKEN_KEY}` }
  started.push(startKeelson([...args, '--metrics.port', String(PLATFORM_PORT + 1), '--http.limit-scale', '10000'], { env, nodeArgs }))
  const platform = { name: 'platform', url: `http://127.0.0.1:${PLATFORM_PORT}` }
  const services: readonly Service[] = [
    platform,
    { name: 'bare fastify', url: `http://127.0.0.1:${BARE_PORT}` },
    ...values.beside.map((text) => ({ name: text.slice(0, text.indexOf('=')), url: text.slice(text.indexOf('=') + 1) })),
  ]
  await Promise.all(services.map(({ url }) => answers(`${url}/health`)))
  const tokens = await register(platform.url)
  const input = {
    chain_id: l2.chainId,
    token_in_address: '0x0000000000000000000000000000000000000000',
    token_out_address: contracts.TestDollar,
    amount_in: '1.5',
  }
  const kinds: readonly Kind[] = [
    {
      name: 'chat',
      method: 'POST',
      path: '/api/v1/chatbot/chat',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'What is the price of WETH?' }] }),
    },
    { name: 'quote', method: 'POST', path: '/api/v1/multi-agent/quote/evm/pseudo', body: JSON.stringify({ input }) },
    { name: 'metrics', method: 'GET', path: '/api/v1/metrics/volume' },
  ]
  const rows: (readonly string[])[] = []
  const asked = kinds.filter(({ name }) => values.only === undefined || name === values.only)
  for (const kind of asked) for (const service of services) rows.push(await measure(service, kind, tokens))
  console.log(formatTable([`${users} users`, 'answers/s', 'p50', 'p99', 'refused'], rows))
} finally {
  bare.kill('SIGTERM')
  if (bare.exitCode === null && bare.signalCode === null) await once(bare, 'exit')
  for (const process of started) await process.stop()
  await devnet.remove()
}
