import { join } from 'node:path'
import {
  type L1ChainConfig,
  l1TransactionRules,
  type RollupConfig,
  reachesUnsupportedFork,
  warnOfUnsupportedL1Fork,
} from '@keelson/chainspec'
import {
  type BlobProver,
  createBalanceWatch,
  createChainAccount,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  DAMAGED_JOURNAL_REMEDY,
  type RpcClient,
  type TransactionManager,
} from '@keelson/client'
import { claimDataDirectory, type OptionValues, openLevelStore, option, optionParsers as parse, type Service } from '@keelson/runtime'
import { l1Options } from '../../l1/l1-connection.ts'
import { closing, type Role } from '../../role/role.ts'
import { feePolicyOf, transactionManagerOptions } from './tx-manager-options.ts'

const DATA_LAYOUT_VERSION = 1

export const l1SenderOptions = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the journal of sent transactions.' }),
  ...l1Options,
  privateKey: option({
    key: 'privateKey',
    parse: parse.privateKey,
    secret: true,
    description: 'Key of the L1 account that pays; better given by environment than by flag.',
  }),
  ...transactionManagerOptions,
} as const

export interface L1SenderParts {
  readonly manager: TransactionManager
  readonly services: readonly Service[]
}

export async function openL1Sender(
  name: 'batcher' | 'proposer',
  values: OptionValues<typeof l1SenderOptions>,
  role: Role,
  l1: RpcClient,
  config: RollupConfig,
  l1Chain: L1ChainConfig,
  kzg: BlobProver,
): Promise<L1SenderParts> {
  await claimDataDirectory(values.dataDir, {
    version: DATA_LAYOUT_VERSION,
    role: name,
    chainId: config.l2ChainId,
    genesisHash: config.genesis.l2.hash,
  })
  const store = await openLevelStore({ directory: join(values.dataDir, 'journal'), irreplaceable: { remedy: DAMAGED_JOURNAL_REMEDY } })
  const signer = createLocalSigner(values.privateKey, role.crypto)
  const account = createChainAccount('L1', l1, signer.address)
  const { clock, log, metrics } = role
  const nowSec = () => Math.floor(clock.nowMs() / 1000)
  const manager = createTransactionManager(
    {
      chainId: config.l1ChainId,
      confirmations: values.confirmations,
      pollIntervalMs: values.txPollIntervalMs,
      resubmitAfterMs: values.resubmitAfterMs,
      maxCostWei: values.maxCostWei,
      maxCostOption: '--l1.max-cost-wei',
      maxSpendPerHourWei: values.maxSpendPerHourWei,
      policy: feePolicyOf(values),
      sidecarForm: () => (l1TransactionRules(l1Chain, nowSec()).cellProofs ? 'cell-proofs' : 'blob-proofs'),
      unsupportedFork: () => {
        const fork = l1Chain.firstUnsupportedFork
        return reachesUnsupportedFork(fork, nowSec()) ? warnOfUnsupportedL1Fork(l1Chain, nowSec()) : null
      },
    },
    {
      account,
      signer,
      journal: createTransactionJournal(store, config.l1ChainId, signer.address),
      kzg,
      crypto: role.crypto,
      clock,
      log,
      metrics,
    },
  )
  const watch = createBalanceWatch({ lowWei: values.lowBalanceWei }, { account, clock, log, metrics })
  return { manager, services: [closing('store', () => store.close()), manager, watch] }
}
