/** The account that owns the stake of a validator and pays for its transactions. */
import {
  createChainAccount,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  type TransactionManager,
  UNLIMITED_FEES,
} from '@keelson/client'
import { Secret } from '@keelson/runtime'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import type { Host } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { openSequencerRpc } from '../roles/sequencer-clients.ts'
import { ownerKeyOf, STAKE_WEI } from './validator-accounts.ts'

export interface FeeAccount {
  /** The machine whose validator it pays for. */
  readonly validator: string
  readonly journal: SimulatedDisk
  /** The active one takes transactions, since execution clients have no peers here. */
  readonly sequencers: readonly string[]
}

const REQUEST_TIMEOUT_MS = 15_000
const TX_POLL_MS = 500
const RESUBMIT_AFTER_MS = 8_000
const MAX_PENDING = 128
const MAX_SPEND_PER_HOUR_WEI = 10n ** 18n
const MAX_FEE_WEI = 10n ** 17n
const NO_LIMIT_WEI = 2n ** 200n

/** With the default options of `keelson validator run`. */
export function openFeeAccount(host: Host, { config }: RollupNetwork, { validator, journal, sequencers }: FeeAccount): TransactionManager {
  const { process, log, metrics, world } = host
  const { crypto, kzg } = world
  const { l2ChainId: chainId } = config
  const owner = createLocalSigner(new Secret(ownerKeyOf(validator)), crypto)
  return createTransactionManager(
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
      journal: createTransactionJournal(journal.open(process), chainId, owner.address),
      kzg,
      crypto,
      clock: process.clock,
      log,
      metrics,
    },
  )
}
