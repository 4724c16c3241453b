import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { openStandIns } from '@keelson/devnet/stand-ins'
import { createPlatform, loadTokenKeys, openDatabase, openSources, parseTokenKeys } from '@keelson/platform'
import { createHealthServer, createReadiness } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { closing, healthAddress, openRole } from '../../role/role.ts'
import { VERSION } from '../../version.ts'
import { chatModel } from './platform-chat.ts'
import { platformOptions } from './platform-options.ts'
import { readDevnet, sourcesConfig } from './platform-sources.ts'
import { openTrading } from './platform-trading.ts'

const MAX_WAITING_LOGINS = 500
const DATABASE_REMEDY = 'check DATABASE_URL and that PostgreSQL is running; an embedded database needs a restart'

export const platformCommand = defineCommand({
  name: 'platform',
  summary: 'HTTP API of the agents: users, sessions, research, quotes, trades',
  usage: '--data-dir FOLDER [options]',
  options: platformOptions,
  async run(values) {
    const devnet = readDevnet(values)
    const config = sourcesConfig(values, devnet)
    const role = openRole('platform', { ...values, clockOffsetMs: values.clockOffsetMs ?? devnet?.clockOffsetMs ?? 0 })
    const { clock, log, metrics, random } = role
    const model = await chatModel(values)
    const trading = await openTrading(values, config.chains, role)
    const database = await openDatabase(values, { clock, log })
    const sources = openSources(config, { clock, random, log })
    const standIns = devnet === null || sources.chains === null ? null : openStandIns(sources.chains, { clock, random, log })
    const tokenKeys =
      values.tokenKeys === null
        ? await loadTokenKeys(join(values.dataDir, 'token-keys'), random)
        : parseTokenKeys(values.tokenKeys.reveal(), '--token.keys')
    const disk = values.databaseUrl === null ? { freeDiskBytes: () => freeBytes(values.dataDir) } : {}
    const platform = await createPlatform(
      {
        ...values,
        host: values.httpHost,
        port: values.httpPort,
        option: '--http.port',
        version: VERSION,
        chatModel: model,
        tokenKeys,
        passwords: { concurrency: values.hashesAtOnce, maxWaiting: MAX_WAITING_LOGINS },
      },
      { database, sources, standIns, trading: trading?.setup ?? null, clock, random, log, metrics, ...disk },
    )
    const readiness = createReadiness(
      [
        {
          name: 'database',
          async check() {
            const trouble = await database.trouble()
            return trouble === null
              ? { ok: true, detail: database.engine }
              : { ok: false, reason: `the database does not answer: ${trouble}`, remedy: DATABASE_REMEDY }
          },
        },
        ...(values.databaseUrl === null ? [createDiskCheck(values.dataDir, metrics)] : []),
      ],
      { clock, log, metrics },
    )
    return role.run(
      [
        createHealthServer(healthAddress(values), { metrics, readiness, clock, log }),
        closing('database', () => database.close()),
        closing('sources', async () => sources.close()),
        closing('signing services', async () => trading?.close()),
        platform,
      ],
      () => log.info('the agent platform is open', { url: platform.server.url, database: database.engine }),
    )
  },
})

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
