import { join } from 'node:path'
import {
  createCompilers,
  createIndex,
  createIndexHttp,
  createLiveState,
  createRpcChain,
  createTokenCalls,
  openIndexDatabase,
} from '@keelson/apps/index'
import { findProjectRoot } from '@keelson/devnet/genesis'
import { createHealthServer, createReadiness, type HealthCheck } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { createDiskCheck } from '../../role/disk-check.ts'
import { closing, healthAddress, openRole } from '../../role/role.ts'
import { openRollupConfig } from '../../role/rollup-option.ts'
import { readGenesisTokens } from './genesis-tokens.ts'
import { openL1Side } from './open-l1-side.ts'
import { indexOptions } from './options.ts'
import { readProjectContracts } from './project-contracts.ts'

export const indexCommand = defineCommand({
  name: 'index',
  summary: 'histories of blocks, addresses and tokens in PostgreSQL',
  usage: '--data-dir FOLDER --network NETWORK --l2.rpc URL [options]',
  options: indexOptions,
  async run(values) {
    const role = openRole('index', values)
    const { clock, log, metrics } = role
    const config = openRollupConfig(values, log, clock)
    const identity = { chainId: config.l2ChainId, genesisHash: config.genesis.l2.hash }
    const database = await openIndexDatabase(values, identity, log)
    const l2 = role.rpc(values.l2Rpc)
    const l1 = values.l1Rpc.length === 0 ? null : await openL1Side(values, role, config)
    const index = createIndex(
      { startBlock: config.genesis.l2.number, pollIntervalMs: values.pollIntervalMs },
      {
        chain: createRpcChain(l2),
        calls: createTokenCalls(l2),
        genesisTokens: () => readGenesisTokens(values.network),
        l1: l1?.side ?? null,
        database,
        clock,
        log,
        metrics,
      },
    )
    const following: HealthCheck = {
      name: 'following',
      check: () => {
        const { head, cursor } = index.follower
        const trouble = index.follower.trouble() ?? index.l1Follower?.trouble() ?? null
        if (trouble !== null) return { ok: false, reason: trouble }
        if (head === null) return { ok: false, reason: 'the node has not answered yet' }
        return { ok: true, detail: `block ${cursor?.number ?? 'none'} of ${head.number}` }
      },
    }
    const stored: HealthCheck = {
      name: 'database',
      async check() {
        const trouble = await database.trouble()
        if (trouble === null) return { ok: true, detail: database.engine }
        const remedy = values.databaseUrl === null ? 'restart this process' : 'check --database-url and that PostgreSQL is running'
        return { ok: false, reason: `the database does not answer: ${trouble}`, remedy }
      },
    }
    const http = {
      host: values.httpHost,
      port: values.httpPort,
      virtualHosts: values.virtualHosts,
      corsOrigins: values.httpCors,
      rate: { perSec: values.ratePerSec, burst: values.rateBurst },
      trusted: values.httpTrusted,
      proxies: values.httpProxies,
    }
    const disk = values.databaseUrl === null ? [createDiskCheck(values.dataDir, metrics)] : []
    const readiness = createReadiness([following, stored, ...disk], { clock, log, metrics })
    return role.run(
      [
        createHealthServer(healthAddress(values), { metrics, readiness, clock, log }),
        closing('database', () => database.close()),
        ...(l1 === null ? [] : [closing('L1', l1.close)]),
        ...index.services,
        createIndexHttp(http, {
          database,
          live: createLiveState(l2),
          projectContracts: readProjectContracts(findProjectRoot()),
          compilers: createCompilers({ folder: join(values.dataDir, 'compilers') }, { clock, log }),
          follower: index.follower,
          l1: index.l1Follower,
          chainId: config.l2ChainId,
          clock,
          log,
          metrics,
        }),
      ],
      () => log.info('the index is open', { database: database.engine }),
    )
  },
})
