import { join } from 'node:path'
import {
  createBalanceWatch,
  createChainAccount,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  DAMAGED_JOURNAL_REMEDY,
  UNLIMITED_FEES,
} from '@keelson/client'
import { clockOffsetFor, devnetClockOptions } from '@keelson/devnet'
import {
  claimDataDirectory,
  createHealthServer,
  createReadiness,
  type HealthCheck,
  openLevelStore,
  option,
  optionParsers as parse,
} from '@keelson/runtime'
import {
  createAttestationClient,
  createAttestedFeed,
  createOffenceChain,
  createOffenceWatcher,
  createStakingChain,
  DEFAULT_OFFENCE_WATCHER,
} from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { closing, healthAddress, openRole, roleOptions } from '../../../role/role.ts'
import { maxTipOption, tipCapOf } from '../../bridge/fee-options.ts'
import { stakingOption } from '../stake/staking-options.ts'

const DATA_LAYOUT_VERSION = 1
const TX_POLL_MS = 500
const ETHER = 10n ** 18n

const options = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the journal of sent transactions.' }),
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client.' }),
  rollupRpc: option({ key: 'rollup.rpc', parse: parse.httpUrl, description: 'RPC of a consensus client: what it saw is reported.' }),
  staking: stakingOption,
  privateKey: option({
    key: 'privateKey',
    parse: parse.privateKey,
    secret: true,
    description: 'Key of the L2 account that pays the fees; better given by environment than by flag. No other program may use it.',
  }),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(100, 3_600_000),
    default: DEFAULT_OFFENCE_WATCHER.pollIntervalMs,
    description: 'Milliseconds between two looks; less when a report is due before.',
  }),
  maxDelayMs: option({
    key: 'maxDelayMs',
    parse: parse.integer(0, 3_600_000),
    default: DEFAULT_OFFENCE_WATCHER.maxDelayMs,
    description: 'Milliseconds a report waits at most, by chance, so that of several watchers only one pays.',
  }),
  maxReportsPerHour: option({
    key: 'maxReportsPerHour',
    parse: parse.integer(1, 10_000),
    default: DEFAULT_OFFENCE_WATCHER.maxReportsPerHour,
    description: 'Reports within an hour; more wait.',
  }),
  maxSpendPerHourWei: option({
    key: 'txmgr.maxSpendPerHour',
    parse: parse.gwei,
    default: ETHER,
    description:
      'Gwei that reports may cost within any hour. A transaction that is pending or was abandoned counts with the most that it can cost.',
  }),
  maxCostWei: option({
    key: 'txmgr.maxCost',
    parse: parse.gwei,
    default: ETHER / 10n,
    description: 'Gwei one report may cost at worst.',
  }),
  maxTipWei: maxTipOption,
  resubmitAfterMs: option({
    key: 'l2.resubmitAfterMs',
    parse: parse.integer(1_000),
    default: 8_000,
    description: 'Milliseconds until a waiting transaction is priced higher.',
  }),
  lowBalanceWei: option({
    key: 'txmgr.lowBalance',
    parse: parse.gwei,
    default: ETHER / 10n,
    description: 'Gwei on the account below which it is said that it should be funded.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7307, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
  ...devnetClockOptions,
} as const

export const validatorWatchCommand = defineCommand({
  name: 'validator watch',
  summary: 'report offences of validators; no keys or stake needed, only an account that pays the fees',
  usage: '--data-dir FOLDER --l2.rpc URL --rollup.rpc URL --private-key KEY [options]',
  explanation: `Nobody gains by a report: slashed stake is locked for good. What is reported: two attestations for one epoch, attestations to a
block that is not the final one of its height, two blocks of one key at one place; and the price of a wrong attestation is
settled when the time for evidence is over. validator run does the same with the account that pays for attestations.`,
  options,
  async run(values) {
    const role = openRole('watcher', { ...values, clockOffsetMs: clockOffsetFor(values, values.l2Rpc) })
    const { clock, log, metrics, random, crypto } = role
    const l2 = role.rpc(values.l2Rpc)
    const staking = createStakingChain(l2, values.staking)
    await staking.terms()
    const [chainId, genesisHash] = [await staking.chainId(), await staking.blockHash(0)]
    if (genesisHash === null) throw new AssemblyError('node/refused', `${l2.host} has no block 0: is it a node of this network?`)
    await claimDataDirectory(values.dataDir, { version: DATA_LAYOUT_VERSION, role: 'watcher', chainId, genesisHash })
    const store = await openLevelStore({ directory: join(values.dataDir, 'journal'), irreplaceable: { remedy: DAMAGED_JOURNAL_REMEDY } })
    const signer = createLocalSigner(values.privateKey, crypto)
    const account = createChainAccount('L2', l2, signer.address)
    const { resubmitAfterMs, maxCostWei, maxSpendPerHourWei } = values
    const manager = createTransactionManager(
      {
        chainId,
        confirmations: 1,
        pollIntervalMs: TX_POLL_MS,
        resubmitAfterMs,
        maxCostWei,
        maxCostOption: '--txmgr.max-cost',
        maxSpendPerHourWei,
        policy: { ...UNLIMITED_FEES, tipCap: tipCapOf(values.maxTipWei, '--txmgr.max-tip-cap') },
      },
      { account, signer, journal: createTransactionJournal(store, chainId, signer.address), kzg: NO_BLOBS, crypto, clock, log, metrics },
    )
    const rollup = role.rpc(values.rollupRpc)
    const gossip = createAttestationClient((method, params) => rollup.call(method, params))
    const watcher = createOffenceWatcher(
      { contract: values.staking, ...values },
      {
        offences: gossip,
        chain: createOffenceChain(l2, values.staking, signer.address),
        attested: createAttestedFeed({ rpc: l2, contract: values.staking, gossip, log }),
        sender: manager,
        clock,
        random,
        log,
        metrics,
      },
    )
    const reporting: HealthCheck = {
      name: 'reporting',
      check: () => {
        const trouble = watcher.trouble() ?? manager.trouble()
        return trouble === null ? { ok: true } : { ok: false, reason: trouble.reason }
      },
    }
    const health = healthAddress(values)
    log.info('watching', { contract: values.staking, paidBy: signer.address })
    return role.run([
      createHealthServer(health, { metrics, readiness: createReadiness([reporting], { clock, log, metrics }), clock, log }),
      closing('store', () => store.close()),
      manager,
      createBalanceWatch({ lowWei: values.lowBalanceWei }, { account, clock, log, metrics }),
      watcher,
    ])
  },
})

const refuseBlobs = async () => {
  throw new AssemblyError('node/kzg', 'no blobs are sent here')
}
const NO_BLOBS = { blobToCommitment: refuseBlobs, blobProof: refuseBlobs }
