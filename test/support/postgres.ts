/** PostgreSQL for tests: the server that KEELSON_TEST_DATABASE_URL names, else one of their own where its programs are installed. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'

export interface PostgresServer {
  /** Creates an empty database. */
  createDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

export interface PostgresSource {
  readonly name: string
  open(): Promise<PostgresServer>
}

/** Empty where no server can be had. */
export function postgresSources(): readonly PostgresSource[] {
  const { KEELSON_TEST_DATABASE_URL: url } = process.env
  if (url !== undefined && url !== '') return [{ name: 'the PostgreSQL server of the environment', open: async () => serverAt(url) }]
  const programs = ['initdb', 'postgres'].map(findProgram)
  const [initdb, postgres] = programs
  if (initdb === undefined || postgres === undefined) return []
  return [{ name: 'a PostgreSQL server', open: () => startServer(initdb, postgres) }]
}

function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

function serverAt(serverUrl: string, stop: () => Promise<void> = () => Promise.resolve()): PostgresServer {
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  return {
    async createDatabase() {
      const name = `keelson_test_${randomBytes(6).toString('hex')}`
      await run(`create database ${name}`)
      const url = new URL(serverUrl)
      url.pathname = `/${name}`
      return { url: url.href, drop: () => run(`drop database ${name} with (force)`) }
    },
    stop,
  }
}

/** Listens on a Unix socket in a folder of its own. The server refuses to run as root, so root runs it as `postgres`. */
async function startServer(initdb: string, postgres: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-pg-'))
  const identity: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? ownerOf('postgres') : {}
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  execFileSync(initdb, ['-D', data, '-U', 'keelson', '-A', 'trust', '-N'], { ...identity, cwd: folder, stdio: 'ignore' })
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'shared_buffers=16MB']
  const child = spawn(postgres, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...identity,
    cwd: folder,
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = () => child.kill('SIGQUIT')
  process.once('exit', end)
  const url = new URL(`postgres:///postgres?${new URLSearchParams({ host: folder, user: 'keelson' })}`)
  await eventually('the start of PostgreSQL', async () => {
    const client = new pg.Client({ connectionString: url.href })
    client.on('error', () => undefined)
    await client.connect()
    await client.end()
    return true
  })
  return serverAt(url.href, async () => {
    process.off('exit', end)
    end()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const ask = (what: string) => Number(execFileSync('id', [what, user], { encoding: 'utf8' }))
  return { uid: ask('-u'), gid: ask('-g') }
}
