import { join } from 'node:path'
import {
  createBalanceWatch,
  createChainAccount,
  createLocalSigner,
  createRollupClient,
  createTransactionJournal,
  createTransactionManager,
  DAMAGED_JOURNAL_REMEDY,
  UNLIMITED_FEES,
} from '@keelson/client'
import { clockOffsetFor, type OwnNodes, ownNodes } from '@keelson/devnet'
import { createHealthServer, createReadiness, type HealthCheck, openLevelStore, type Service } from '@keelson/runtime'
import {
  createAttestationClient,
  createAttestedFeed,
  createDutyLoop,
  createOffenceChain,
  createOffenceWatcher,
  createStakingChain,
  createUptimeTracker,
  DEFAULT_OFFENCE_WATCHER,
  slashedError,
  ValidatorError,
} from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { closing, healthAddress, openRole, type Role } from '../../../role/role.ts'
import { tipCapOf } from '../../bridge/fee-options.ts'
import { notePayingAccount } from '../paying-account.ts'
import { amountWei } from '../stake/owner-command.ts'
import { openValidatorSigners } from '../validator-signers.ts'
import { EXIT_DOPPELGANGER, EXIT_SLASHED } from './final-exits.ts'
import { type ValidatorRunValues, validatorRunOptions } from './run-options.ts'
import { whyOneHostIsTrusted } from './second-opinion.ts'
import { createStakeAtStart } from './stake-at-start.ts'

const EXIT_CODES: Readonly<Record<string, number>> = { 'consensus/doppelganger': EXIT_DOPPELGANGER, 'consensus/slashed': EXIT_SLASHED }
const TX_POLL_MS = 500
/** Short, so that a payment shows up soon. */
const BALANCE_EVERY_MS = 10_000
const MAX_PENDING = 128
const NO_LIMIT_WEI = 2n ** 200n

export const validatorRunCommand = defineCommand({
  name: 'validator run',
  summary: 'attest with the keys of a folder, or of a signing service, in every epoch they are active in',
  usage: '--data-dir FOLDER --password-file FILE [--l2.rpc URL --rollup.rpc URL | --devnet FOLDER] [options]',
  explanation: `All keys in the folder attest. The process ends with code ${EXIT_DOPPELGANGER} when another machine signs with one of its keys and with
${EXIT_SLASHED} when one was slashed: no supervisor should start it again then.`,
  options: validatorRunOptions,
  async run(given) {
    const values = { ...given, ...ownNodes(given) }
    const role = openRole('validator', { ...values, clockOffsetMs: clockOffsetFor(values, values.l2Rpc) })
    try {
      return await runValidator(values, role)
    } catch (error) {
      const code = error instanceof ValidatorError ? EXIT_CODES[error.code] : undefined
      if (code === undefined) throw error
      console.error(`keelson: ${(error as Error).message}`)
      return code
    }
  },
})

async function runValidator(values: ValidatorRunValues & OwnNodes, role: Role): Promise<number> {
  const { clock, log, metrics, random, crypto } = role
  const { signers, protection } = await openValidatorSigners(values, role)
  const keys = signers.map(({ address }) => address)
  const opened: (() => Promise<void>)[] = [() => protection.close()]
  try {
    const stop = protection.stopped()
    if (stop !== null) throw slashedError(stop.reason, stop.key)
    const l2 = role.rpc(values.l2Rpc)
    const chain = createStakingChain(l2, values.staking)
    const chainId = await chain.chainId()
    const stakesWei = values.stakeAtStart === null ? 0n : amountWei(values.stakeAtStart) * BigInt(keys.length)
    const store = await openLevelStore({ directory: join(values.dataDir, 'journal'), irreplaceable: { remedy: DAMAGED_JOURNAL_REMEDY } })
    opened.push(() => store.close())
    const account = createChainAccount('L2', l2, createLocalSigner(values.privateKey, crypto).address)
    opened.push(notePayingAccount(values.dataDir, account.address))
    const manager = createTransactionManager(
      {
        chainId,
        confirmations: 1,
        pollIntervalMs: TX_POLL_MS,
        resubmitAfterMs: values.resubmitAfterMs,
        maxCostWei: NO_LIMIT_WEI,
        maxFee: { wei: values.maxFeeWei, option: '--txmgr.max-cost' },
        policy: { ...UNLIMITED_FEES, tipCap: tipCapOf(values.maxTipWei, '--txmgr.max-tip-cap') },
        maxSpendPerHourWei: values.maxSpendPerHourWei + stakesWei,
        maxPending: MAX_PENDING,
      },
      {
        account,
        signer: createLocalSigner(values.privateKey, crypto),
        journal: createTransactionJournal(store, chainId, account.address),
        kzg: NO_BLOBS,
        crypto,
        clock,
        log,
        metrics,
      },
    )
    const trust = values.rollupRpcCheck === null ? whyOneHostIsTrusted(values.l2Rpc, values.rollupRpc) : null
    if (trust !== null) log.warn(trust)
    const rollup = role.rpc(values.rollupRpc)
    const gossip = createAttestationClient((method, params) => rollup.call(method, params))
    const duties = createDutyLoop(
      {
        chainId,
        blockTimeSec: values.l2BlockTimeSec,
        pollIntervalMs: values.pollIntervalMs,
        doppelgangerEpochs: values.doppelgangerEpochs,
        maxHeadAgeSec: values.maxHeadAgeSec,
        slashingsKnownUntil: values.slashingsKnownUntil,
      },
      {
        chain,
        rollup: createRollupClient(rollup),
        ...(values.rollupRpcCheck !== null && { secondRollup: createRollupClient(role.rpc(values.rollupRpcCheck)) }),
        gossip,
        signers,
        protection,
        sender: manager,
        clock,
        random,
        log,
        metrics,
      },
    )
    const uptime = createUptimeTracker({ keys, blockTimeSec: values.l2BlockTimeSec }, { chain, clock, log, metrics })
    const check = (name: string, source: { trouble(): { readonly reason: string } | null }, detail?: () => string): HealthCheck => ({
      name,
      check: () => {
        const found = source.trouble()
        if (found !== null) return { ok: false, reason: found.reason }
        return detail === undefined ? { ok: true } : { ok: true, detail: detail() }
      },
    })
    const services: Service[] = []
    const balance = createBalanceWatch({ lowWei: values.lowBalanceWei, intervalMs: BALANCE_EVERY_MS }, { account, clock, log, metrics })
    const unfunded = { reason: `account ${account.address} has nothing to pay for attestations with: fund it on L2` }
    const checks = [
      check('duties', duties, () => duties.summary()),
      // Uptime and reward pool never make a validator unready.
      check('uptime', { trouble: () => null }, () => uptime.summary()),
      check('reward-pool', { trouble: () => null }, () => duties.rewardPool()),
      check('fees', { trouble: () => (balance.balanceWei === 0n ? unfunded : null) }),
    ]
    if (values.stakeAtStart !== null) {
      services.push(createStakeAtStart(amountWei(values.stakeAtStart), { chain, chainId, signers, sender: manager, clock, log }))
    }
    if (values.watch) {
      const watcher = createOffenceWatcher(
        { contract: values.staking, ...DEFAULT_OFFENCE_WATCHER },
        {
          offences: gossip,
          chain: createOffenceChain(l2, values.staking, account.address),
          attested: createAttestedFeed({ rpc: l2, contract: values.staking, gossip, log }),
          sender: manager,
          clock,
          random,
          log,
          metrics,
        },
      )
      services.push(watcher)
      checks.push(check('watcher', watcher))
    }
    const readiness = createReadiness(checks, { clock, log, metrics })
    const health = healthAddress(values)
    log.info('validator', { keys: keys.join(' '), paidBy: account.address, contract: values.staking })
    return await role.run([
      createHealthServer(health, { metrics, readiness, clock, log }),
      ...opened.map((close, index) => closing(index === 0 ? 'slashing protection' : 'store', close)),
      manager,
      balance,
      duties,
      uptime,
      ...services,
    ])
  } catch (error) {
    for (const close of opened) await close().catch(() => undefined)
    throw error
  }
}

const refuseBlobs = async () => {
  throw new AssemblyError('node/kzg', 'no blobs are sent here')
}
const NO_BLOBS = { blobToCommitment: refuseBlobs, blobProof: refuseBlobs }
