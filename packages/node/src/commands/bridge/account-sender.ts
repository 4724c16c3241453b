/** Sends transactions and raises their fees until they are mined. */
import { type ChainReader, formatAmount, type PlannedTransaction } from '@keelson/apps/bridge'
import {
  type ChainName,
  createChainAccount,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  findLoggedReceipt,
  type LoggedReceipt,
  UNLIMITED_FEES,
} from '@keelson/client'
import { type Address, type Bytes32, type Clock, type Hash, keccak256Hash, type Logger } from '@keelson/primitives'
import { createMemoryStore, type Secret } from '@keelson/runtime'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import type { FeeLimits } from './fee-options.ts'
import { NATIVE_DECIMALS } from './transfer-options.ts'

export interface AccountSender {
  readonly address: Address
  /** Resolves when the transaction is mined, even if it reverted. Throws ClientError if nothing was sent. */
  send(transaction: PlannedTransaction): Promise<LoggedReceipt>
}

export interface AccountSenderOptions {
  readonly chainName: ChainName
  readonly chain: Pick<ChainReader, 'rpc'>
  readonly chainId: bigint
  readonly key: Secret<Bytes32>
  readonly fees: FeeLimits
  readonly spareGas?: bigint
  readonly clock: Clock
  readonly log: Logger
  /** Called again when a higher fee changes the hash. */
  readonly onSent: (purpose: string, hash: Hash) => void
}

const POLL_MS = 300
const RESUBMIT_AFTER_MS = 30_000
/** Percentage of the estimate: the portal burns more gas when L1's base fee falls. */
const GAS_PERCENT = 150n
const NO_LIMIT = 2n ** 255n

export function createAccountSender(options: AccountSenderOptions): AccountSender {
  const { chainName, chain, chainId, key, fees, spareGas = 0n, clock, log, onSent } = options
  const crypto = createNativeCrypto()
  const signer = createLocalSigner(key, crypto)
  const account = createChainAccount(chainName, chain.rpc, signer.address)
  let purpose = ''
  const manager = createTransactionManager(
    {
      chainId,
      confirmations: 1,
      pollIntervalMs: POLL_MS,
      resubmitAfterMs: RESUBMIT_AFTER_MS,
      maxCostWei: NO_LIMIT,
      maxFee: fees.maxFee,
      policy: { ...UNLIMITED_FEES, tipCap: fees.tipCap },
    },
    {
      account: {
        ...account,
        async sendRaw(raw) {
          await account.sendRaw(raw)
          onSent(purpose, keccak256Hash(raw))
        },
      },
      signer,
      journal: createTransactionJournal(createMemoryStore(), chainId, signer.address),
      kzg: noBlobs(),
      crypto,
      clock,
      log,
    },
  )
  /** Needed because the gas estimate's error does not state the balance. */
  async function assertCovered(valueWei: bigint): Promise<void> {
    const balanceWei = await account.balanceWei()
    if (balanceWei > valueWei) return
    const [has, wants] = [balanceWei, valueWei].map((wei) => formatAmount(wei, NATIVE_DECIMALS))
    throw new AssemblyError(
      'node/usage',
      `${signer.address} has ${has} on ${chainName}, and ${wants} and the fee are to be sent: send less, or fund the account; nothing was sent`,
      { balanceWei, valueWei },
    )
  }
  const ready = manager.start(new AbortController().signal)
  return {
    address: signer.address,
    async send(transaction) {
      await ready
      purpose = transaction.purpose
      const { to, data, valueWei } = transaction
      const request = { to, data, valueWei, blobVersionedHashes: [], maxFeePerBlobGasWei: null }
      await assertCovered(valueWei)
      const gasLimit = ((await account.estimateGas(request)) * GAS_PERCENT) / 100n + spareGas
      const { transactionHash } = await manager.send({ to, data, valueWei, gasLimit })
      const receipt = await findLoggedReceipt(chain.rpc, transactionHash)
      if (receipt !== null) return receipt
      throw new AssemblyError('node/interrupted', `${chain.rpc.host} took back the block with ${transactionHash}: look again in a moment`)
    },
  }
}

function noBlobs() {
  const refuse = async () => {
    throw new AssemblyError('node/kzg', 'no blobs are sent here')
  }
  return { blobToCommitment: refuse, blobProof: refuse }
}
