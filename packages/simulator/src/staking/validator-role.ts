/** `keelson validator run --stake-at-start` with one local key and its default options, on the nodes of its machine. */
import { createChainAccount, createLocalSigner, createTransactionJournal, createTransactionManager, UNLIMITED_FEES } from '@keelson/client'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { createStakeAtStart } from '@keelson/node/assembly'
import { Secret } from '@keelson/runtime'
import {
  type BareSigner,
  createAttestationClient,
  createAttestedFeed,
  createDutyLoop,
  createGuardedSigner,
  createLocalValidatorSigner,
  createMachineRecord,
  createOffenceChain,
  createOffenceWatcher,
  createSlashingProtection,
  createStakingChain,
  DEFAULT_OFFENCE_WATCHER,
  type DutyLoop,
  initialiseProtectionStore,
} from '@keelson/validator'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { openRollup } from '../roles/direct-ports.ts'
import { type Host, PORTS, startParts, urlOf } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { openSequencerRpc } from '../roles/sequencer-clients.ts'
import type { MayFail } from '../roles/supervised-role.ts'
import { ownerKeyOf, STAKE_WEI, signingKeyOf } from './validator-accounts.ts'

export interface ValidatorDisks {
  readonly protection: SimulatedDisk
  /** The record outside the data directory. */
  readonly machine: SimulatedDisk
  readonly journal: SimulatedDisk
}

export interface ValidatorSetup {
  readonly disks: ValidatorDisks
  /** The active one takes transactions, since execution clients have no peers here. */
  readonly sequencers: readonly string[]
  /** Sees each signature that leaves the key. */
  watchSigner(signer: BareSigner): BareSigner
}

export interface ValidatorRole extends MayFail {
  readonly duties: DutyLoop
}

const REQUEST_TIMEOUT_MS = 15_000
const POLL_INTERVAL_MS = 1_000
const DOPPELGANGER_EPOCHS = 1
const MAX_HEAD_AGE_SEC = 60
const TX_POLL_MS = 500
const RESUBMIT_AFTER_MS = 8_000
const MAX_PENDING = 128
const MAX_SPEND_PER_HOUR_WEI = 10n ** 18n
const MAX_FEE_WEI = 10n ** 17n
const NO_LIMIT_WEI = 2n ** 200n

/** What `keelson validator protection init --new-key` does; an operator does it once. */
export async function beginProtection(host: Host, { protection }: ValidatorDisks): Promise<void> {
  const { process, world } = host
  const store = protection.open(process)
  await initialiseProtectionStore(store, process.clock)
  const { address } = createLocalValidatorSigner(new Secret(signingKeyOf(host.machine)), world.crypto)
  await createSlashingProtection(store, { clock: process.clock }).beginKey(address)
}

export async function startValidator(
  host: Host,
  { config }: RollupNetwork,
  { disks, sequencers, watchSigner }: ValidatorSetup,
): Promise<ValidatorRole> {
  const { machine, process, log, metrics, world } = host
  const { crypto } = world
  const { clock, random } = process
  const contract = OWN_CONTRACTS.Staking
  const chainId = config.l2ChainId
  const record = createMachineRecord(disks.machine.open(process))
  const protection = createSlashingProtection(disks.protection.open(process), { clock, machineRecord: () => record })
  const bare = watchSigner(createLocalValidatorSigner(new Secret(signingKeyOf(machine)), crypto))
  const signers = [createGuardedSigner(bare, protection)]
  const l2 = host.rpc(urlOf(machine, PORTS.execution))
  const chain = createStakingChain(l2, contract)
  const owner = createLocalSigner(new Secret(ownerKeyOf(machine)), crypto)
  const manager = createTransactionManager(
    {
      chainId,
      confirmations: 1,
      pollIntervalMs: TX_POLL_MS,
      resubmitAfterMs: RESUBMIT_AFTER_MS,
      maxCostWei: NO_LIMIT_WEI,
      maxFee: { wei: MAX_FEE_WEI, option: '--txmgr.max-cost' },
      maxSpendPerHourWei: MAX_SPEND_PER_HOUR_WEI + STAKE_WEI,
      policy: UNLIMITED_FEES,
      maxPending: MAX_PENDING,
    },
    {
      account: createChainAccount('L2', openSequencerRpc(host, sequencers, REQUEST_TIMEOUT_MS), owner.address),
      signer: owner,
      journal: createTransactionJournal(disks.journal.open(process), chainId, owner.address),
      kzg: world.kzg,
      crypto,
      clock,
      log,
      metrics,
    },
  )
  const rollup = host.rpc(urlOf(machine, PORTS.rollup))
  const gossip = createAttestationClient((method, params) => rollup.call(method, params))
  const duties = createDutyLoop(
    {
      chainId,
      blockTimeSec: config.blockTimeSec,
      pollIntervalMs: POLL_INTERVAL_MS,
      doppelgangerEpochs: DOPPELGANGER_EPOCHS,
      maxHeadAgeSec: MAX_HEAD_AGE_SEC,
      slashingsKnownUntil: 0,
    },
    { chain, rollup: openRollup(host, machine), gossip, signers, protection, sender: manager, clock, random, log, metrics },
  )
  const watcher = createOffenceWatcher(
    { contract, ...DEFAULT_OFFENCE_WATCHER },
    {
      offences: gossip,
      chain: createOffenceChain(l2, contract, owner.address),
      attested: createAttestedFeed({ rpc: l2, contract, gossip, log }),
      sender: manager,
      clock,
      random,
      log,
      metrics,
    },
  )
  const stake = createStakeAtStart(STAKE_WEI, { chain, chainId, signers, sender: manager, clock, log })
  const { stop, failure } = await startParts(host, [manager, duties, stake, watcher])
  return { duties, stop, failure }
}
