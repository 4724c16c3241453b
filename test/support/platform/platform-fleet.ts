import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { DevnetProcess } from '../devnet-process.ts'
import { eventually } from '../eventually.ts'
import { type KeelsonProcess, startKeelson } from '../keelson-process.ts'

/** The platform's first start makes a database. */
export const PLATFORM_START_MS = 300_000

export interface PlatformFleet {
  readonly nextUrl: () => string
  killOne(): Promise<void>
  ready(): Promise<void>
  stop(): Promise<void>
}

export interface PlatformStorage {
  readonly name: string
  open(devnet: DevnetProcess, firstPort: number): Promise<PlatformFleet>
}

/** `KEELSON_TEST_DATABASE_URL`: a PostgreSQL server and a role that may create databases. */
export function platformStorages(): readonly PlatformStorage[] {
  const { KEELSON_TEST_DATABASE_URL: serverUrl } = process.env
  const embedded: PlatformStorage = { name: 'its embedded database', open: async (devnet) => devnetFleet(devnet) }
  if (serverUrl === undefined || serverUrl === '') return [embedded]
  return [
    embedded,
    {
      name: 'PostgreSQL, shared by two processes',
      open: (devnet, firstPort) => sharingFleet(devnet, serverUrl, [firstPort, firstPort + 2]),
    },
  ]
}

async function answers(url: string): Promise<boolean> {
  return (await fetch(`${url}/health`)).status === 200
}

async function devnetFleet(devnet: DevnetProcess): Promise<PlatformFleet> {
  const url = devnet.facts.services.platform
  const ready = () => eventually('the start of the platform', () => answers(url), PLATFORM_START_MS).then(() => undefined)
  await ready()
  return {
    nextUrl: () => url,
    async killOne() {
      const { platform } = devnet.rolePids()
      if (platform === undefined) throw new Error('the network has no platform')
      process.kill(platform, 'SIGKILL')
      await eventually('the replacement of the killed platform', async () => devnet.rolePids().platform !== platform)
    },
    ready,
    stop: async () => undefined,
  }
}

async function createDatabase(serverUrl: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `keelson_e2e_${randomBytes(6).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) }
}

async function sharingFleet(devnet: DevnetProcess, serverUrl: string, ports: readonly number[]): Promise<PlatformFleet> {
  const database = await createDatabase(serverUrl)
  const folder = mkdtempSync(join(tmpdir(), 'keelson-platforms-'))
  const own = devnet.facts.services.platform
  const env = { DATABASE_URL: database.url, KEELSON_TOKEN_KEYS: `shared:${randomBytes(32).toString('hex')}` }
  const start = (port: number): Member => ({
    url: `http://127.0.0.1:${port}`,
    process: startKeelson(
      [
        ...['platform', '--data-dir', join(folder, String(port)), '--devnet', devnet.folder],
        ...['--trading.config', join(devnet.folder, 'platform', 'trading', 'trading.json')],
        ...['--research.subgraph', `${own}/devnet/subgraph`, '--analytics.url', `${own}/devnet/analytics`],
        ...['--http.port', String(port), '--metrics.port', String(port + 1)],
      ],
      { env },
    ),
  })
  let members = ports.map(start)
  let turn = 0
  async function ready(): Promise<void> {
    for (const { url, process } of members) {
      const ended = process.finished.then(({ code, stderr, stdout }) => {
        throw new Error(`a platform ended with code ${code}:\n${(stdout + stderr).slice(-4_000)}`)
      })
      ended.catch(() => undefined)
      await Promise.race([eventually(`the platform at ${url}`, () => answers(url), PLATFORM_START_MS), ended])
    }
  }
  const fleet: PlatformFleet = {
    nextUrl: () => (members[turn++ % members.length] as Member).url,
    async killOne() {
      const [victim, ...others] = members
      members = others
      await victim?.process.kill()
    },
    ready,
    async stop() {
      await Promise.all(members.map(({ process }) => process.stop()))
      rmSync(folder, { recursive: true, force: true })
      await database.drop()
    },
  }
  await ready().catch(async (error: unknown) => {
    await fleet.stop()
    throw error
  })
  return fleet
}

interface Member {
  readonly url: string
  readonly process: KeelsonProcess
}
