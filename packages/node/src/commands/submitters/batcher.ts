import { type BlockLimits, batcherOptions, createBatcher } from '@keelson/batcher'
import { BLOB_BYTES, createChainAccount, createL2BlockSource, createRollupClient } from '@keelson/client'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import { formatQuantity } from '@keelson/primitives'
import { createJwt, createSystemClock, loadJwtSecret, option, optionParsers as parse } from '@keelson/runtime'
import { defineCommand } from '../../command.ts'
import { compressBeside } from '../../crypto/compress-beside.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { AssemblyError } from '../../errors.ts'
import { openL1 } from '../../l1/l1-connection.ts'
import { closing, openRole, type Role, roleOptions } from '../../role/role.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { l1SenderOptions, openL1Sender } from './l1-sender.ts'
import { runSubmitter, submitterOptions } from './run-submitter.ts'
import { openSequencerClients } from './sequencer-clients.ts'

const options = {
  ...rollupOptions,
  ...l1SenderOptions,
  ...batcherOptions,
  l2Rpc: option({
    key: 'l2.rpc',
    parse: parse.list(parse.httpUrl),
    description: "RPC of the sequencer's execution client; of each, in the order of --rollup.rpc, when there are several sequencers.",
  }),
  rollupRpc: option({
    key: 'rollup.rpc',
    parse: parse.list(parse.httpUrl),
    description: "RPC of the sequencer's consensus client; with several, the one that seals is followed (they need --rpc.admin).",
  }),
  throttleRpc: option({
    key: 'throttle.rpc',
    parse: parse.list(parse.httpUrl),
    default: [],
    description:
      "Engine ports of the sequencers' execution clients, which are asked there for smaller blocks (miner_setMaxDASize). Default: nobody is asked.",
  }),
  jwtSecret: option({
    key: 'jwtSecret',
    parse: parse.list(parse.path),
    default: [],
    description: 'File with the JWT secret for --throttle.rpc; one for each of its URLs, or one for all.',
  }),
  ...submitterOptions(
    { admin: 7311, metrics: 7301 },
    'admin_startBatcher, admin_stopBatcher, admin_flushBatcher, admin_batcherStatus, admin_getThrottleController and others.',
  ),
  ...roleOptions,
} as const

export const batcherCommand = defineCommand({
  name: 'batcher',
  summary: 'L2 blocks to L1, in calldata or blobs',
  usage: '--network NETWORK --l1.rpc URL --l2.rpc URL --rollup.rpc URL --data-dir FOLDER [options]',
  options,
  async run(values) {
    const role = openRole('batcher', values)
    const { clock, random, log, metrics } = role
    const config = openRollupConfig(values, log, clock)
    const l1Chain = readL1ChainConfig(values.network)
    const connection = await openL1(values, role, config, l1Chain)
    const l1 = connection.rpc
    const kzg = createKzg()
    // Loads the trusted setup early, which takes seconds and would delay the first channel.
    if (values.dataAvailability !== 'calldata') void kzg.blobToCommitment(new Uint8Array(BLOB_BYTES)).catch(() => undefined)
    const { manager, services } = await openL1Sender('batcher', values, role, l1, config, l1Chain, kzg)
    const sequencer = openSequencerClients({ rollup: values.rollupRpc, l2: values.l2Rpc }, role)
    const batcher = createBatcher(values, {
      config,
      l2: createL2BlockSource(sequencer.l2),
      rollup: createRollupClient(sequencer.rollup),
      sender: manager,
      prices: createChainAccount('L1', l1, manager.address),
      l1Chain,
      compressor: { compress: compressBeside },
      limits: await openBlockLimits(values.throttleRpc, values.jwtSecret, role),
      clock,
      random,
      log,
      metrics,
    })
    return runSubmitter(role, values, batcher, [closing('kzg', kzg.close), ...services], manager, connection)
  },
})

/** Short, because the batcher repeats the call soon. */
const LIMITS_TIMEOUT_MS = 2_000

async function openBlockLimits(urls: readonly string[], jwtSecrets: readonly string[], role: Role): Promise<BlockLimits | null> {
  if (urls.length === 0) {
    role.log.info('a backlog does not make blocks smaller: --throttle.rpc is not set')
    return null
  }
  if (jwtSecrets.length !== urls.length && jwtSecrets.length !== 1)
    throw new AssemblyError(
      'node/usage',
      'expected --jwt-secret with --throttle.rpc, one for each URL or one: the engine port takes nobody without it',
    )
  // JWTs use the machine's real clock.
  const systemClock = createSystemClock()
  const engines = await Promise.all(
    urls.map(async (url, i) => {
      const { secret } = await loadJwtSecret((jwtSecrets[i] ?? jwtSecrets[0]) as string)
      const headers = async () => ({ authorization: `Bearer ${await createJwt(secret, systemClock)}` })
      return role.rpc(url, { timeoutMs: LIMITS_TIMEOUT_MS, retry: { attempts: 1 }, headers })
    }),
  )
  const size = (bytes: number | null) => formatQuantity(bytes ?? 0)
  return {
    async setMaxDaSize(transactionBytes, blockBytes) {
      // Standbys are asked too, as they may lead next. One that is down has the limits when they change again.
      await Promise.any(engines.map((engine) => engine.call('miner_setMaxDASize', [size(transactionBytes), size(blockBytes)])))
    },
  }
}
