/** `keelson validator run --stake-at-start` with one local key and its default options. */
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
  initialiseProtectionStore,
} from '@keelson/validator'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { openRollup } from '../roles/direct-ports.ts'
import { type Host, PORTS, startParts, urlOf } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import type { MayFail } from '../roles/supervised-role.ts'
import { openFeeAccount } from './fee-account.ts'
import { STAKE_WEI, signingKeyOf } from './validator-accounts.ts'

export interface ValidatorDisks {
  readonly protection: SimulatedDisk
  /** The record outside the data directory. */
  readonly machine: SimulatedDisk
  readonly journal: SimulatedDisk
}

export interface ValidatorSetup {
  /** The machine whose key and fee account it uses. */
  readonly validator: string
  /** The machine whose execution client and consensus client it asks. */
  readonly nodes: string
  readonly disks: ValidatorDisks
  readonly sequencers: readonly string[]
  /** Sees each signature that leaves the key. */
  watchSigner(signer: BareSigner): BareSigner
}

const POLL_INTERVAL_MS = 1_000
const DOPPELGANGER_EPOCHS = 1
const MAX_HEAD_AGE_SEC = 60

/** What `keelson validator protection init --new-key` does; an operator does it once. */
export async function beginProtection(
  { process, world }: Host,
  { validator, disks }: Pick<ValidatorSetup, 'validator' | 'disks'>,
): Promise<void> {
  const store = disks.protection.open(process)
  await initialiseProtectionStore(store, process.clock)
  const { address } = createLocalValidatorSigner(new Secret(signingKeyOf(validator)), world.crypto)
  await createSlashingProtection(store, { clock: process.clock }).beginKey(address)
}

export async function startValidator(
  host: Host,
  network: RollupNetwork,
  { validator, nodes, disks, sequencers, watchSigner }: ValidatorSetup,
): Promise<MayFail> {
  const { process, log, metrics, world } = host
  const { config } = network
  const { clock, random } = process
  const contract = OWN_CONTRACTS.Staking
  const chainId = config.l2ChainId
  const record = createMachineRecord(disks.machine.open(process))
  const protection = createSlashingProtection(disks.protection.open(process), { clock, machineRecord: () => record })
  const bare = watchSigner(createLocalValidatorSigner(new Secret(signingKeyOf(validator)), world.crypto))
  const signers = [createGuardedSigner(bare, protection)]
  const l2 = host.rpc(urlOf(nodes, PORTS.execution))
  const chain = createStakingChain(l2, contract)
  const manager = openFeeAccount(host, network, { validator, journal: disks.journal, sequencers })
  const rollup = host.rpc(urlOf(nodes, PORTS.rollup))
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
    { chain, rollup: openRollup(host, nodes), gossip, signers, protection, sender: manager, clock, random, log, metrics },
  )
  const watcher = createOffenceWatcher(
    { contract, ...DEFAULT_OFFENCE_WATCHER },
    {
      offences: gossip,
      chain: createOffenceChain(l2, contract, manager.address),
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
  return { stop, failure }
}
