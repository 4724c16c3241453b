/** What batcher and proposer share: one L1 account whose transactions are journaled on disk and priced within bounds. */
import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import {
  createL1Account,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  type RpcClient,
  type TransactionManager,
} from '@keelson/client'
import type { Kzg } from '@keelson/primitives'
import { claimDataDirectory, type OptionValues, openLevelStore, option, optionParsers as parse, type Service } from '@keelson/runtime'
import { l1Options } from './l1-connection.ts'
import { closing, type Role } from './role.ts'

const ETHER = 10n ** 18n
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
  confirmations: option({
    key: 'l1.confirmations',
    parse: parse.integer(1, 1000),
    default: 1,
    description: 'L1 blocks until a transaction counts, the including one counted.',
  }),
  txPollIntervalMs: option({
    key: 'l1.txPollIntervalMs',
    parse: parse.integer(50, 60_000),
    default: 500,
    description: 'Milliseconds between two looks at pending transactions.',
  }),
  resubmitAfterMs: option({
    key: 'l1.resubmitAfterMs',
    parse: parse.integer(1000),
    default: 24_000,
    description: 'Milliseconds until a waiting transaction is priced higher.',
  }),
  maxCostWei: option({
    key: 'l1.maxCostWei',
    parse: parse.bigInteger,
    default: ETHER,
    description: 'Wei one transaction may cost at worst.',
  }),
} as const

export interface L1SenderParts {
  readonly manager: TransactionManager
  /** In starting order. */
  readonly services: readonly Service[]
}

export async function openL1Sender(
  name: 'batcher' | 'proposer',
  values: OptionValues<typeof l1SenderOptions>,
  role: Role,
  l1: RpcClient,
  config: RollupConfig,
  kzg: Kzg,
): Promise<L1SenderParts> {
  await claimDataDirectory(values.dataDir, {
    version: DATA_LAYOUT_VERSION,
    role: name,
    chainId: config.l2ChainId,
    genesisHash: config.genesis.l2.hash,
  })
  const store = await openLevelStore({ directory: join(values.dataDir, 'journal') })
  const signer = createLocalSigner(values.privateKey, role.crypto)
  const manager = createTransactionManager(
    {
      chainId: config.l1ChainId,
      confirmations: values.confirmations,
      pollIntervalMs: values.txPollIntervalMs,
      resubmitAfterMs: values.resubmitAfterMs,
      maxCostWei: values.maxCostWei,
    },
    {
      account: createL1Account(l1, signer.address),
      signer,
      journal: createTransactionJournal(store, config.l1ChainId, signer.address),
      kzg,
      crypto: role.crypto,
      clock: role.clock,
      log: role.log,
      metrics: role.metrics,
    },
  )
  return { manager, services: [closing('store', () => store.close()), manager] }
}
