import { formatAmount } from '@keelson/apps/bridge'
import {
  type ChainAccount,
  createChainAccount,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  type RpcClient,
  suggestFees,
  UNLIMITED_FEES,
} from '@keelson/client'
import type { Bytes32, Clock, Logger } from '@keelson/primitives'
import { createMemoryStore, type Secret } from '@keelson/runtime'
import type { FeeLimits } from '../commands/bridge/fee-options.ts'
import { createNativeCrypto } from '../crypto/native-crypto.ts'
import { AssemblyError } from '../errors.ts'
import type { PlannedTransaction } from './plan-l1-deployment.ts'

export interface DeploymentOptions {
  readonly rpc: RpcClient
  readonly chainId: bigint
  readonly key: Secret<Bytes32>
  readonly nonce: bigint
  readonly fees: FeeLimits
  /** Number of blocks, including the transaction's own. */
  readonly confirmations: number
  readonly clock: Clock
  readonly log: Logger
  readonly onMined: (done: number, all: number) => void
}

const POLL_MS = 500
const RESUBMIT_AFTER_MS = 60_000
/** geth's pool accepts 64 transactions per account. */
const MOST_PENDING = 48
const NO_LIMIT = 2n ** 255n

/** Throws AssemblyError `node/refused` if a transaction fails or the account sends another one; ClientError. */
export async function sendL1Deployment(transactions: readonly PlannedTransaction[], options: DeploymentOptions): Promise<void> {
  const { rpc, chainId, key, nonce, fees, confirmations, clock, log, onMined } = options
  const crypto = createNativeCrypto()
  const signer = createLocalSigner(key, crypto)
  const account = createChainAccount('L1', rpc, signer.address)
  if ((await account.nonce('pending')) !== nonce) {
    throw new AssemblyError(
      'node/refused',
      `account ${signer.address} also sends transactions of another program; use a dedicated account; nothing was sent`,
    )
  }
  await assertCanPay(account, transactions)
  const ended = new AbortController()
  const manager = createTransactionManager(
    {
      chainId,
      confirmations,
      pollIntervalMs: POLL_MS,
      resubmitAfterMs: RESUBMIT_AFTER_MS,
      maxCostWei: NO_LIMIT,
      maxPending: MOST_PENDING,
      maxFee: fees.maxFee,
      policy: { ...UNLIMITED_FEES, tipCap: fees.tipCap },
    },
    {
      account,
      signer,
      journal: createTransactionJournal(createMemoryStore(), chainId, signer.address),
      kzg: noBlobs(),
      crypto,
      clock,
      log,
    },
  )
  await manager.start(ended.signal)
  let done = 0
  try {
    await Promise.all(
      transactions.map(async (transaction, i) => {
        const receipt = await manager.send(transaction)
        if (!receipt.succeeded) {
          throw new AssemblyError(
            'node/refused',
            `transaction ${i + 1} of ${transactions.length}, ${receipt.transactionHash}, failed in L1 block ${receipt.blockNumber}: ` +
              'the deployment is incomplete; run the command again, which deploys new contracts',
          )
        }
        onMined(++done, transactions.length)
      }),
    )
  } finally {
    ended.abort()
    await manager.stop()
  }
}

async function assertCanPay(account: ChainAccount, transactions: readonly PlannedTransaction[]): Promise<void> {
  const { maxFeePerGasWei } = suggestFees(await account.feeQuote(false), UNLIMITED_FEES)
  const gas = transactions.reduce((sum, { gasLimit }) => sum + gasLimit, 0n)
  const [needed, has] = [gas * maxFeePerGasWei, await account.balanceWei()]
  if (has >= needed) return
  const coins = (wei: bigint) => formatAmount(wei, 18)
  throw new AssemblyError(
    'node/refused',
    `account ${account.address} has ${coins(has)} coins on L1, and the deployment may cost ${coins(needed)} (${gas} gas at ${maxFeePerGasWei} wei); ` +
      'nothing was sent',
  )
}

function noBlobs() {
  const refuse = async () => {
    throw new AssemblyError('node/kzg', 'no blobs are sent here')
  }
  return { blobToCommitment: refuse, blobProof: refuse }
}
